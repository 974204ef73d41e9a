/** Parsing of a pasted address list and the verdict on each entry. Pure functions. */
import { nameLengthMax } from '@glacis/contract/primitives'
import type { InputOf, ResultOf } from '@glacis/contract/endpoint'
import type { createTarget, parseTargets } from '@glacis/contract/target'
import { formatNumber } from '#lib/format.ts'
import { splitPort, type TargetDraft } from '#targets/form.ts'

/** Maximum number of addresses in a list; also the server's limit per call. */
export const maxEntries = 1000
/** Maximum length of an address in characters. */
const maxAddressLength = 2048

export interface Entry {
  /** Line number in the text, starting at 1. */
  readonly line: number
  readonly text: string
  /** The text without its port. */
  readonly host: string
  /** The port of `HOST:PORT`. */
  readonly port?: string
}
/** An entry and whether a target will be created for it. */
export type Verdict = Entry &
  /** `readable` is the Unicode form of an internationalized name. */
  (
    | {
        readonly kind: 'new'
        readonly address: string
        readonly readable: string
        readonly hostCount: number
        readonly isPrivate: boolean
        /** The only ports to scan, in the order of the list; empty if a line has the address without a port. */
        readonly ports: readonly string[]
      }
    | { readonly kind: 'known'; readonly address: string; readonly name: string }
    /** The same address as on an earlier line, whose target also gets the port of this line if `isPortAdded`. */
    | { readonly kind: 'duplicate'; readonly address: string; readonly first: number; readonly isPortAdded: boolean }
    | { readonly kind: 'wrong'; readonly why: string }
  )
export type NewEntry = Extract<Verdict, { kind: 'new' }>
type ParseResult = ResultOf<typeof parseTargets>['results'][number]

/**
 * Splits text into addresses at line breaks, commas, semicolons, and spaces. Ranges may have spaces around the dash, and
 * commas within a URL's path are part of the URL. Text after a `#` that starts a word is a comment, as in files of hosts.
 */
export function parseEntries(text: string): Entry[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).flatMap((whole, index) =>
    whole
      .replace(/(^|\s)#.*/, '')
      .replace(/([\d.:a-f])\s+[-–]\s+([\d.:a-f])/gi, '$1-$2')
      .split(/\s+/)
      .flatMap((word) => word.split(/^[a-z]+:\/\//i.test(word) ? /[,;]+(?=$|[^,;/]*[.:])/ : /[,;]+/))
      .filter(Boolean)
      .map((entry) => ({ line: index + 1, text: entry, ...(splitPort(entry) ?? { host: entry }) })),
  )
}

/** The distinct addresses to send to the server, without those that exceed its length limit. */
export function addressesToParse(entries: readonly Entry[]): string[] {
  return [...new Set(entries.map(({ host }) => host))].filter((host) => host.length <= maxAddressLength)
}

/** Combines the entries with the server's parse results. */
export function toVerdicts(entries: readonly Entry[], readings: readonly ParseResult[]): Verdict[] {
  const byText = new Map(readings.map((reading) => [reading.input, reading]))
  const byAddress = Map.groupBy(entries, ({ host }) => byText.get(host)?.normalized)
  return entries.map((entry): Verdict => {
    const reading = byText.get(entry.host)
    const address = reading?.normalized
    if (!reading || address === undefined) {
      return {
        ...entry,
        kind: 'wrong',
        why: reading?.error ?? `The address is longer than ${formatNumber(2048)} characters.`,
      }
    }
    const { readable = address, hostCount = 1, private: isPrivate = false, target } = reading
    const same = byAddress.get(address) ?? []
    const [first = entry] = same
    if (first !== entry) {
      const earlier = same.slice(0, same.indexOf(entry))
      const isPortAdded = portsOf(same).length > 0 && !earlier.some(({ port }) => port === entry.port)
      return { ...entry, kind: 'duplicate', address, first: first.line, isPortAdded }
    }
    if (target) return { ...entry, kind: 'known', address, name: target.name }
    return { ...entry, kind: 'new', address, readable, hostCount, isPrivate, ports: portsOf(same) }
  })
}

function portsOf(entries: readonly Entry[]): string[] {
  const ports = entries.flatMap(({ port }) => port ?? [])
  return ports.length < entries.length ? [] : [...new Set(ports)]
}

/** The entries that are neither created nor already targets, one per line. */
export function remainingText(verdicts: readonly Verdict[], made: ReadonlySet<string>): string {
  return verdicts
    .filter((verdict) => verdict.kind === 'wrong' || (verdict.kind === 'new' && !made.has(verdict.address)))
    .map(({ text }) => text)
    .join('\n')
}

/** The request body for one target of a list, named after its address. */
export function toCreateBody(
  { address, readable, isPrivate, ports }: NewEntry,
  { period, agentId, tags }: Pick<TargetDraft, 'period' | 'agentId' | 'tags'>,
): InputOf<typeof createTarget> {
  return {
    name: readable.length > nameLengthMax ? `${readable.slice(0, nameLengthMax - 1)}…` : readable,
    address,
    schedule: { period },
    ...(agentId && { agent: { id: agentId } }),
    tags: tags.map(({ id }) => ({ id })),
    ...(ports.length > 0 && { ports: ports.join(',') }),
    // The form doesn't submit internet addresses without the user's confirmation.
    ...(!isPrivate && { isPermitted: true }),
  }
}
