/** How the agent is told what to do: words of the command line, or variables of the environment. */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { Obstacle } from './obstacle.ts'

export interface Options {
  /** Origin of the server, without a slash at the end. */
  readonly server: string
  /** Undefined: the key of an earlier start is used. */
  readonly token: string | undefined
  /** Folder of the key and of the packs. */
  readonly stateFolder: string
  /** Folder with `checks` and `fingerprints` to use in place of the server's packs. */
  readonly packsFolder: string | undefined
  /** Networks (CIDR) that may be touched; undefined for whatever the server asks for. */
  readonly networks: readonly string[] | undefined
}

export const usage = `Usage: glacis agent --server URL [--token-file FILE] [--state FOLDER] [--packs FOLDER] [--networks CIDR,…] [--plain-http]

  --server URL        The Glacis that this agent belongs to, or GLACIS_AGENT_SERVER.
  --token-file FILE   The token that the portal showed; "-" reads it from standard input. Also in
                      GLACIS_AGENT_TOKEN. Needed for the first start: it is swapped for a key.
  --state FOLDER      Where the key is kept, or GLACIS_AGENT_STATE. Default: ~/.local/state/glacis-agent
  --packs FOLDER      Checks and fingerprints of your own in place of those of the server.
  --networks LIST     The networks that may be scanned from here, whatever the server asks for.
  --plain-http        Allows a server without TLS on another machine.`

const flags = {
  server: { type: 'string' },
  'token-file': { type: 'string' },
  state: { type: 'string' },
  packs: { type: 'string' },
  networks: { type: 'string' },
  'plain-http': { type: 'boolean', default: false },
} as const

/** @throws Obstacle that says which option is missing or wrong */
export async function readOptions(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Options> {
  const values = parse(words)
  const server = readServer(values.server ?? environment['GLACIS_AGENT_SERVER'], values['plain-http'])
  const state = values.state ?? environment['GLACIS_AGENT_STATE'] ?? defaultState(environment)
  return {
    server,
    token: await readToken(values['token-file'], environment),
    stateFolder: resolve(state),
    packsFolder: values.packs === undefined ? undefined : resolve(values.packs),
    networks: readNetworks(values.networks),
  }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: flags, strict: true }).values
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new Obstacle(`${said.split('.')[0]}.\n${usage}`, { cause })
  }
}

function readServer(given: string | undefined, isPlainAllowed: boolean): string {
  if (!given) throw new Obstacle(`Say where the server is, with --server or GLACIS_AGENT_SERVER.\n${usage}`)
  const url = URL.canParse(given) ? new URL(given) : null
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Obstacle(`"${given}" is no address of a server; it looks like https://glacis.example.org`)
  }
  const isNear = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'http:' && !isNear && !isPlainAllowed) {
    throw new Obstacle(
      `${url.origin} is not protected by TLS: whoever listens on the way would read the key. Use https, or allow it with --plain-http.`,
    )
  }
  return url.origin
}

async function readToken(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const given = file === undefined ? environment['GLACIS_AGENT_TOKEN'] : await readTokenFile(file)
  const token = given?.trim()
  if (!token) return undefined
  if (/^gla_[\w-]{43}$/.test(token)) return token
  throw new Obstacle('This is no token of an agent: one begins with gla_ and has 47 characters. Copy it again.')
}

async function readTokenFile(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new Obstacle(`The token cannot be read from ${file}: ${said}`, { cause })
  }
}

function readNetworks(given: string | undefined): string[] | undefined {
  if (given === undefined) return undefined
  const networks = given.split(',').map((part) => part.trim())
  const wrong = networks.find((one) => !z.union([z.cidrv4(), z.cidrv6()]).safeParse(one).success)
  if (wrong !== undefined) throw new Obstacle(`"${wrong}" in --networks is no network such as 10.0.0.0/8`)
  return networks
}

function defaultState(environment: Readonly<Record<string, string | undefined>>): string {
  return join(environment['XDG_STATE_HOME'] ?? join(homedir(), '.local/state'), 'glacis-agent')
}
