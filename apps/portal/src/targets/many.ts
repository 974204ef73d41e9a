/** A pasted list of addresses: what stands in it, what becomes of each, and what is left of it. Pure. */
import { nameLengthMax } from '@glacis/contract/primitives'
import type { InputOf, ResultOf } from '@glacis/contract/endpoint'
import type { createTarget, parseTargets } from '@glacis/contract/target'
import { type TargetDraft } from '#targets/form.ts'

/** Most addresses of one list; the server reads as many with one call. */
export const entriesMax = 1000
/** Longest address in characters. */
const lengthMax = 2048

export interface Entry {
  /** Of the text, from 1. */
  readonly line: number
  readonly text: string
}
/** What becomes of an entry. */
export type Verdict = Entry &
  /** `readable`: as its owner writes it. */
  (
    | {
        readonly kind: 'new'
        readonly address: string
        readonly readable: string
        readonly hostCount: number
        readonly isPrivate: boolean
      }
    | { readonly kind: 'known'; readonly address: string; readonly name: string }
    /** The same address as on an earlier line. */
    | { readonly kind: 'twice'; readonly address: string; readonly first: number }
    | { readonly kind: 'wrong'; readonly why: string }
  )
export type Fresh = Extract<Verdict, { kind: 'new' }>
type Reading = ResultOf<typeof parseTargets>['results'][number]

/**
 * The addresses of a text: one to a line, or several with commas, semicolons or blanks between. A range may be written
 * with blanks around its dash, and a comma in the path of a URL belongs to it.
 */
export function entriesOf(text: string): Entry[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).flatMap((whole, index) =>
    whole
      .replace(/([\d.:a-f])\s+[-–]\s+([\d.:a-f])/gi, '$1-$2')
      .split(/\s+/)
      .flatMap((word) => word.split(/^[a-z]+:\/\//i.test(word) ? /[,;]+(?=$|[^,;/]*[.:])/ : /[,;]+/))
      .filter(Boolean)
      .map((entry) => ({ line: index + 1, text: entry })),
  )
}

/** What is sent to be read: each text once, without those that no server takes. */
export function askable(entries: readonly Entry[]): string[] {
  return [...new Set(entries.map(({ text }) => text))].filter((text) => text.length <= lengthMax)
}

/** What becomes of each entry, as the server reads it. */
export function verdictsOf(entries: readonly Entry[], readings: readonly Reading[]): Verdict[] {
  const byText = new Map(readings.map((reading) => [reading.input, reading]))
  const firstLines = new Map<string, number>()
  return entries.map((entry): Verdict => {
    const reading = byText.get(entry.text)
    const address = reading?.normalized
    if (!reading || address === undefined) {
      return { ...entry, kind: 'wrong', why: reading?.error ?? 'The address is longer than 2,048 characters.' }
    }
    const { readable = address, hostCount = 1, private: isPrivate = false, target } = reading
    const first = firstLines.get(address)
    if (first !== undefined) return { ...entry, kind: 'twice', address, first }
    firstLines.set(address, entry.line)
    if (target) return { ...entry, kind: 'known', address, name: target.name }
    return { ...entry, kind: 'new', address, readable, hostCount, isPrivate }
  })
}

/** The text of what is still to be done: all that was neither made nor is watched already, one to a line. */
export function restOf(verdicts: readonly Verdict[], made: ReadonlySet<string>): string {
  return verdicts
    .filter((one) => one.kind === 'wrong' || (one.kind === 'new' && !made.has(one.address)))
    .map(({ text }) => text)
    .join('\n')
}

/** The body that creates one of many: all as the draft says, each named after its address. */
export function creationOf(
  { address, readable, isPrivate }: Fresh,
  { period, agentId, tags }: Pick<TargetDraft, 'period' | 'agentId' | 'tags'>,
): InputOf<typeof createTarget> {
  return {
    name: readable.length > nameLengthMax ? `${readable.slice(0, nameLengthMax - 1)}…` : readable,
    address,
    schedule: { period },
    ...(agentId && { agent: { id: agentId } }),
    tags: tags.map(({ id }) => ({ id })),
    // Without the word of the person nothing on the internet is sent.
    ...(!isPrivate && { isPermitted: true }),
  }
}
