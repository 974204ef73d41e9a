/** Agent configuration from command-line options and environment variables. */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { CliError, systemReason, UsageError } from './cli-error.ts'

export interface Options {
  /** Origin of the server, without a trailing slash. */
  readonly server: string
  /** Undefined to use the stored key. */
  readonly token: string | undefined
  /** File with CA certificates (PEM) to trust for the server. */
  readonly caFile: string | undefined
  /** Folder for the key and the packs. */
  readonly stateFolder: string
  /** Folder with `checks` and `fingerprints` that replace the server's packs. */
  readonly packsFolder: string | undefined
  /** Whether the agent updates itself to the server's version. */
  readonly updates: boolean
  /** Networks (CIDR) that may be scanned from this machine; undefined for no limit. */
  readonly networks: readonly string[] | undefined
  /** Whether to check the connection to the server, and exit. */
  readonly isCheckOnly: boolean
}

export const usage = `Usage: glacis agent --server URL [options]

  --server URL        URL of the Glacis server (GLACIS_AGENT_SERVER)
  --token-file FILE   file with the token shown in the portal, or - for standard input; required on
                      the first start, when the agent exchanges the token for a key
                      (GLACIS_AGENT_TOKEN: the token itself)
  --state FOLDER      folder for the key (GLACIS_AGENT_STATE); default: ~/.local/state/glacis-agent
  --packs FOLDER      use your own checks and fingerprints instead of the server's
  --networks LIST     limit scans from this machine to these networks
  --ca FILE           also trust the CA certificates in this file (PEM)
  --update            update this agent to the server's version when it differs
  --plain-http        allow a remote server without TLS
  --check             check the other options and the connection to the server, then exit

The variables in parentheses replace the options. HTTPS_PROXY (http://user:password@host:port), HTTP_PROXY,
and NO_PROXY apply to connections to the server.`

const flags = {
  server: { type: 'string' },
  'token-file': { type: 'string' },
  state: { type: 'string' },
  packs: { type: 'string' },
  networks: { type: 'string' },
  ca: { type: 'string' },
  update: { type: 'boolean', default: false },
  'plain-http': { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
} as const

/** @throws CliError that names the missing or invalid option */
export async function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Options> {
  const values = parse(args)
  const server = readServer(values.server ?? env['GLACIS_AGENT_SERVER'], values['plain-http'])
  const state = values.state ?? env['GLACIS_AGENT_STATE'] ?? defaultState(env)
  return {
    server,
    token: await readToken(values['token-file'], env),
    caFile: values.ca === undefined ? undefined : resolve(values.ca),
    updates: values.update,
    stateFolder: resolve(state),
    packsFolder: values.packs === undefined ? undefined : resolve(values.packs),
    networks: readNetworks(values.networks),
    isCheckOnly: values.check,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags, strict: true }).values
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`${reason.split('.')[0]}.`, { cause })
  }
}

function readServer(value: string | undefined, allowsPlainHttp: boolean): string {
  if (!value) throw new UsageError('No server given. Pass --server, or set GLACIS_AGENT_SERVER.')
  const url = URL.canParse(value) ? new URL(value) : null
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`"${value}" isn't the URL of a server, such as https://glacis.example.org.`)
  }
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'http:' && !isLoopback && !allowsPlainHttp) {
    throw new UsageError(
      `${url.origin} does not use TLS: an attacker on the network path could read the key. Use https, or allow plain HTTP with --plain-http.`,
    )
  }
  return url.origin
}

async function readToken(
  file: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const value = file === undefined ? env['GLACIS_AGENT_TOKEN'] : await readTokenFile(file)
  const token = value?.trim()
  if (!token) return undefined
  if (/^gla_[\w-]{43}$/.test(token)) return token
  throw new CliError('Invalid agent token: a token starts with gla_ and has 47 characters. Copy it again.')
}

async function readTokenFile(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new CliError(`Can't read the token from ${file} (${systemReason(cause)}).`, { cause })
  }
}

function readNetworks(value: string | undefined): string[] | undefined {
  if (value === undefined) return undefined
  const networks = value.split(',').map((part) => part.trim())
  const invalid = networks.find((network) => !z.union([z.cidrv4(), z.cidrv6()]).safeParse(network).success)
  if (invalid !== undefined) throw new UsageError(`"${invalid}" in --networks isn't a network, such as 10.0.0.0/8.`)
  return networks
}

function defaultState(env: Readonly<Record<string, string | undefined>>): string {
  return join(env['XDG_STATE_HOME'] ?? join(homedir(), '.local/state'), 'glacis-agent')
}
