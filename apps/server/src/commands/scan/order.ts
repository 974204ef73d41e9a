/** What the words behind `glacis scan` ask for. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ScanProfile } from '@glacis/contract/runner'
import type { ScanHost, ScanJob } from '@glacis/contract/runner'
import { denials, expand, isProblem, parseAddress, parseExclusion, parsePorts, resolveName } from '@glacis/scanner'
import type { CallbackSettings, Exclusion, ScanAddress, ScanOptions } from '@glacis/scanner'
import { callbackEndpoints, callbackPlace, callbackPlaceExpects } from '#callbacks.ts'
import { Obstacle } from '#obstacle.ts'

export type Format = 'text' | 'json' | 'sarif'

export interface ScanOrder {
  readonly job: ScanJob
  readonly limits: NonNullable<ScanOptions['limits']>
  readonly format: Format
  /** Absolute paths of folders whose checks run in place of our own; none: our own. */
  readonly templates: readonly string[]
  /** Where targets call back; null: checks that need it do not run. */
  readonly callbacks: CallbackSettings | null
}

export const scanUsage = `Usage: glacis scan ADDRESS… [options]

  ADDRESS             a host name, an IP address, a network, a range or a URL
  --json              one JSON object a line: host, service, technology, finding, coverage, problem
  --sarif             one SARIF 2.1.0 document
  --templates DIR     run these nuclei templates in place of our own checks; may be repeated
  --profile NAME      gentle (default), standard or deep
  --ports LIST        such as 22,80,8000-8100, or all
  --exclude ADDRESS   leave out an address, a network, a range or ADDRESS:PORT; may be repeated
  --callbacks HOST    where targets reach this machine, HOST:PORT or JSON as in GLACIS_CALLBACKS,
                      for checks that make them call back
  --rate NUMBER       most connections and most requests per second towards one host

Exit code: 0 nothing proven, 1 something proven, 2 a wrong word or a failed run.
Scan only what is yours.
`

const resolveMs = 10_000
const addressesMax = 65_536

/** @throws Obstacle with one sentence about the first word that cannot be understood */
export async function readOrder(words: readonly string[], signal: AbortSignal): Promise<ScanOrder> {
  const { values, positionals } = parse(words)
  if (positionals.length === 0) throw new Obstacle('Name an address to scan; "glacis scan --help" lists the options.')
  if (values.json && values.sarif) throw new Obstacle('Choose one of --json and --sarif.')
  const profile = ScanProfile.safeParse(values.profile)
  if (!profile.success) throw new Obstacle(`There is no profile "${values.profile}"; choose gentle, standard or deep.`)
  const parsed = positionals.map(addressOf)
  const hosts = await hostsOf(parsed, signal)
  const callbacks = values.callbacks === undefined ? null : callbacksAt(values.callbacks)
  const urls = parsed.flatMap(({ url }) => url ?? [])
  if (urls.length > 0 && parsed.length > 1) throw new Obstacle('Scan a URL by itself, without other addresses.')
  const addresses = hosts.map(({ address }) => address)
  const ports = values.ports === undefined ? urls.map(({ port }) => port) : portsOf(values.ports)
  return {
    job: {
      hosts,
      profile: profile.data,
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
  }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        sarif: { type: 'boolean', default: false },
        templates: { type: 'string', multiple: true, default: [] },
        profile: { type: 'string', default: 'gentle' },
        ports: { type: 'string' },
        exclude: { type: 'string', multiple: true, default: [] },
        rate: { type: 'string' },
        callbacks: { type: 'string' },
      },
    })
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/)
    throw new Obstacle(`${sentence}; "glacis scan --help" lists the options.`, { cause: error })
  }
}

function addressOf(text: string): ScanAddress {
  const address = parseAddress(text)
  if (isProblem(address)) throw new Obstacle(address.problem)
  return address
}

async function hostsOf(addresses: readonly ScanAddress[], signal: AbortSignal): Promise<ScanHost[]> {
  const names = new Map<string, Set<string>>()
  for (const address of addresses) {
    const isName = address.host !== '' && !/^[\d.]+$|:/.test(address.host)
    const found = isName ? await resolved(address.host, signal) : [...expand(address)]
    for (const one of found) {
      const known = names.get(one) ?? new Set()
      names.set(one, isName ? known.add(address.host) : known)
    }
    if (names.size > addressesMax) throw new Obstacle(`Scan at most ${addressesMax} addresses at one time.`)
  }
  return [...names].map(([address, known]) => ({ address, names: [...known] }))
}

async function resolved(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const outcome = await resolveName(name, { signal, deadlineMs: resolveMs })
  if (outcome.kind === 'failure') throw new Obstacle(`${outcome.reason}.`)
  return outcome.addresses
}

function portsOf(text: string): readonly number[] {
  const list = parsePorts(text === 'all' ? '1-65535' : text)
  if ('problem' in list) throw new Obstacle(list.problem)
  return list.ports
}

function exclusionOf(text: string): Exclusion {
  const exclusion = parseExclusion(text)
  if ('problem' in exclusion) throw new Obstacle(exclusion.problem)
  return exclusion
}

function callbacksAt(text: string): CallbackSettings {
  const place = callbackPlace.safeParse(text)
  if (!place.success) throw new Obstacle(`--callbacks takes ${callbackPlaceExpects}.`)
  return place.data
}

function limitsOf(text: string): ScanOrder['limits'] {
  const rate = Number(text)
  if (!Number.isInteger(rate) || rate < 1 || rate > 100_000) {
    throw new Obstacle(`--rate takes a whole number from 1 to 100000, not "${text}".`)
  }
  return { sweepPerHostPerSecond: rate, requestsPerHostPerSecond: rate }
}
