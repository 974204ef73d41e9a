/** Parses the arguments of `glacis scan`. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { CheckPermission, ScanProfile, type ScanHost, type ScanJob } from '@glacis/contract/runner'
import {
  denials,
  expand,
  isProblem,
  parseAddress,
  parseExclusion,
  parsePorts,
  resolveName,
  type CallbackSettings,
  type Exclusion,
  type ScanAddress,
  type ScanOptions,
} from '@glacis/scanner'
import { isPermittedIn, type ScanNetworks } from '#scan-networks.ts'
import { callbackEndpoints, callbackAddress, callbackAddressExpects } from '#callbacks.ts'
import { argumentProblem, CliError } from '#cli-error.ts'
import { type CheckFilter, filterOf, nucleiOptions, scanOptionsOf } from '#commands/scan/nuclei-options.ts'

export type OutputFormat = 'text' | 'json' | 'sarif'

export interface ScanArguments {
  readonly job: ScanJob
  readonly limits: NonNullable<ScanOptions['limits']>
  readonly format: OutputFormat
  readonly options: ReturnType<typeof scanOptionsOf>
  readonly filter: CheckFilter
  /** A port or URL was given, so that a scan without any service has failed. */
  readonly expectsService: boolean
  /**
   * Absolute paths of template folders that replace the built-in checks; empty for the built-in
   * checks.
   */
  readonly templates: readonly string[]
  /** How targets call back; null disables checks that need callbacks. */
  readonly callbacks: CallbackSettings | null
}

export const scanUsage = `Usage: glacis scan ADDRESS… [options]

  ADDRESS             a hostname, IP address, network, range, or URL;
                      HOST:PORT or [IPV6]:PORT scans only that port
  --json              one JSON object per line: host, service, technology, finding, coverage, skipped,
                      doubted, problem
  --sarif             one SARIF 2.1.0 document
  --templates PATH    run the nuclei templates in a file or folder instead of the built-in checks;
                      may be repeated
  --profile NAME      pace: gentle (default), standard, or deep, which covers all ports
  --allow KIND        also run intrusive checks: logins (default credentials; may lock accounts),
                      writes, or crashes; may be repeated
  --ports LIST        such as 22,80,8000-8100, or all
  --exclude ADDRESS   skip an address, network, range, or ADDRESS:PORT; may be repeated
  --callbacks HOST    address where targets reach this machine, HOST[:PORT] or JSON as in
                      GLACIS_CALLBACKS, for checks that trigger callbacks
  --tags, --severity, --id LIST
                      run only these checks; IDs can contain *
  --var KEY=VALUE     value for a template variable; may be repeated
  --header TEXT       "Name: value" header for every HTTP request; may be repeated
  --sni NAME          server name in TLS handshakes of HTTP requests
  --resolver ADDRESS  DNS server for hostnames and dns templates, ADDRESS or ADDRESS:PORT
  --as-nuclei         report every match, even if a control request also matches
  --rate NUMBER       maximum connections and requests per second to each host

Exit code: 0 no confirmed findings, 1 confirmed findings, 2 usage error, failed scan, or no response
from the port or URL in ADDRESS.
Scan only systems you own or are authorized to test.
`

const seeHelp = 'Run "npx glacis scan --help" for a list of options.'
const resolveMs = 10_000
const addressesMax = 65_536

/** @throws CliError that describes the first invalid argument */
export async function parseArguments(
  args: readonly string[],
  networks: ScanNetworks,
  signal: AbortSignal,
): Promise<ScanArguments> {
  const { values, positionals } = parse(args)
  if (positionals.length === 0) throw new CliError(`No address given. ${seeHelp}`)
  if (values.json && values.sarif) throw new CliError('Choose either --json or --sarif, not both.')
  const profile = ScanProfile.safeParse(values.profile)
  if (!profile.success) throw new CliError(`Unknown profile '${values.profile}'; choose gentle, standard, or deep.`)
  const entries = positionals.map(portFrom)
  if (values.ports !== undefined && entries.some(({ port }) => port !== undefined))
    throw new CliError('Set ports in the address or in --ports, not both.')
  const parsed = entries.map(({ address }) => addressOf(address))
  const options = scanOptionsOf(values)
  const hosts = await hostsOf(parsed, signal, options.resolvers)
  const callbacks = values.callbacks === undefined ? null : callbacksAt(values.callbacks)
  const urls = parsed.flatMap(({ url }) => url ?? [])
  if (urls.length > 0 && parsed.length > 1)
    throw new CliError('A URL must be scanned on its own, without other addresses.')
  const addresses = hosts.map(({ address }) => address)
  const isPermitted = isPermittedIn(networks)
  const forbidden = addresses.find((address) => !isPermitted(address))
  if (forbidden !== undefined)
    throw new CliError(
      `${forbidden} is outside GLACIS_SCAN_NETWORKS (${String(networks)}). Change the setting to scan it.`,
    )
  const ports = portsOf(values.ports ?? singlePort(entries)) ?? urls.map(({ port }) => port)
  return {
    job: {
      hosts,
      profile: profile.data,
      permissions: values.allow.map(permissionOf),
      ...(ports.length > 0 && { ports: [...ports] }),
      allow: addresses,
      deny: [
        ...(callbacks ? callbackEndpoints(callbacks) : []),
        ...denials(values.exclude.map(exclusionOf), addresses),
      ],
      ...(urls[0] && { basePath: urls[0].path }),
    },
    limits: values.rate === undefined ? {} : limitsOf(values.rate),
    format: values.json ? 'json' : values.sarif ? 'sarif' : 'text',
    templates: values.templates.map((folder) => resolve(folder)),
    callbacks,
    options,
    filter: filterOf(values),
    expectsService: urls.length > 0 || entries.some(({ port }) => port !== undefined),
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        sarif: { type: 'boolean', default: false },
        templates: { type: 'string', multiple: true, default: [] },
        profile: { type: 'string', default: 'gentle' },
        allow: { type: 'string', multiple: true, default: [] },
        ports: { type: 'string' },
        ...nucleiOptions,
        exclude: { type: 'string', multiple: true, default: [] },
        rate: { type: 'string' },
        callbacks: { type: 'string' },
      },
    })
  } catch (error) {
    throw new CliError(`${argumentProblem(error)} ${seeHelp}`, { cause: error })
  }
}

function addressOf(text: string): ScanAddress {
  const address = parseAddress(text)
  if (isProblem(address)) throw new CliError(address.problem)
  return address
}

async function hostsOf(
  addresses: readonly ScanAddress[],
  signal: AbortSignal,
  resolvers: readonly string[] | undefined,
): Promise<ScanHost[]> {
  const names = new Map<string, Set<string>>()
  for (const address of addresses) {
    const isName = address.host !== '' && !/^[\d.]+$|:/.test(address.host)
    const found = isName ? await resolved(address.host, signal, resolvers) : [...expand(address)]
    for (const item of found) {
      const existing = names.get(item) ?? new Set()
      names.set(item, isName ? existing.add(address.host) : existing)
    }
    if (names.size > addressesMax) throw new CliError(`Too many addresses; one scan covers at most ${addressesMax}.`)
  }
  return [...names].map(([address, existing]) => ({ address, names: [...existing] }))
}

async function resolved(
  name: string,
  signal: AbortSignal,
  servers: readonly string[] | undefined,
): Promise<readonly string[]> {
  const outcome = await resolveName(name, { signal, deadlineMs: resolveMs, ...(servers && { servers }) })
  if (outcome.kind === 'failure') throw new CliError(`${outcome.reason}.`)
  return outcome.addresses
}

interface AddressEntry {
  readonly address: string
  readonly port?: string
}

function portFrom(text: string): AddressEntry {
  const [, address, port] = /^(\[[^\]]+\]|[^:\s]+):(\d+)$/.exec(text) ?? []
  return address !== undefined && port !== undefined ? { address, port } : { address: text }
}

/** The port given in the addresses. A job scans the same ports on every host. */
function singlePort(entries: readonly AddressEntry[]): string | undefined {
  const [first] = entries
  if (entries.some(({ port }) => port !== first?.port))
    throw new CliError('Scan addresses with different ports separately, or set the ports with --ports.')
  return first?.port
}

function portsOf(text: string | undefined): readonly number[] | null {
  if (text === undefined) return null
  const list = parsePorts(text === 'all' ? '1-65535' : text)
  if ('problem' in list) throw new CliError(list.problem)
  return list.ports
}

function exclusionOf(text: string): Exclusion {
  const exclusion = parseExclusion(text)
  if ('problem' in exclusion) throw new CliError(exclusion.problem)
  return exclusion
}

function permissionOf(text: string): CheckPermission {
  const permission = CheckPermission.safeParse(text)
  if (!permission.success)
    throw new CliError(`Unknown permission '${text}' in --allow; choose logins, writes, or crashes.`)
  return permission.data
}

function callbacksAt(text: string): CallbackSettings {
  const parsed = callbackAddress.safeParse(text)
  if (!parsed.success) throw new CliError(`--callbacks expects ${callbackAddressExpects}.`)
  return parsed.data
}

function limitsOf(text: string): ScanArguments['limits'] {
  const rate = Number(text)
  if (!Number.isInteger(rate) || rate < 1 || rate > 100_000) {
    throw new CliError(`--rate expects a whole number from 1 to 100000, not '${text}'.`)
  }
  return { sweepPerHostPerSecond: rate, requestsPerHostPerSecond: rate }
}
