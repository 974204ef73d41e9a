/** Lists of values that a template tries one after the other. */
import { at, items, keysOf, oneOf, refuse, text, type Node } from '#template/parse-node.ts'
import type { ScanProfile } from '@glacis/contract/runner'

/** What the requests of one check, and those of all checks on one host, may come to through lists. */
export interface PayloadLimits {
  readonly requestsPerCheck: number
  /** Of a check that is written for no product, and so runs everywhere. */
  readonly requestsPerGeneralCheck: number
  readonly requestsPerHost: number
  /** Pairs of a list of credentials; 0 tries none, because an account may be locked by it. */
  readonly credentials: number
}

export const payloadLimits: Readonly<Record<ScanProfile, PayloadLimits>> = {
  gentle: { requestsPerCheck: 60, requestsPerGeneralCheck: 30, requestsPerHost: 1_000, credentials: 0 },
  standard: { requestsPerCheck: 400, requestsPerGeneralCheck: 48, requestsPerHost: 8_000, credentials: 0 },
  deep: { requestsPerCheck: 3_000, requestsPerGeneralCheck: 3_000, requestsPerHost: 40_000, credentials: 12 },
}

export interface Payloads {
  /** One list alone, lists side by side, or every combination. */
  readonly attack: 'batteringram' | 'pitchfork' | 'clusterbomb'
  readonly lists: ReadonlyMap<string, readonly string[]>
}

/** Reads the lines of a file of the pack; null for a file that is not there, too large, or outside. */
export type ReadList = (path: string) => readonly string[] | null

const VALUES_MAX = 50_000
/** More combinations than any profile could try by far are a mistake, or worse. */
const SETS_MAX = 1_000_000
const VALUE_LENGTH_MAX = 64 * 1024

/** @throws Refused */
export function readPayloads(block: Node, readList: ReadList): Payloads | null {
  const node = at(block, 'payloads')
  if (node.value === undefined) return null
  const lists = new Map(keysOf(node).map((name) => [name, readValues(at(node, name), readList)] as const))
  const attack = oneOf(at(block, 'attack'), ['batteringram', 'pitchfork', 'clusterbomb'], 'batteringram')
  if (lists.size === 0) refuse(node, 'invalid', 'payloads without a list')
  if (attack === 'batteringram' && lists.size > 1)
    refuse(node, 'invalid', 'several lists need the attack pitchfork or clusterbomb')
  const sets = countSets({ attack, lists })
  if (sets > SETS_MAX) refuse(node, 'too many requests', `${sets} sets of values, which is more than ${SETS_MAX}`)
  return { attack, lists }
}

/** A list stands in the template, as lines of one text, or in a file that is named. */
function readValues(node: Node, readList: ReadList): readonly string[] {
  const values = Array.isArray(node.value)
    ? items(node).map((item) => (item.value === null ? '' : text(item)))
    : linesOf(node, readList)
  if (values.length === 0 || values.length > VALUES_MAX)
    refuse(node, 'payload files', 'a list that is empty or too long')
  if (values.some((value) => value.length > VALUE_LENGTH_MAX)) refuse(node, 'invalid', 'a payload that is too long')
  return values
}

function linesOf(node: Node, readList: ReadList): readonly string[] {
  const written = text(node)
  if (written.includes('\n')) return written.split('\n').filter((line) => line !== '')
  return readList(written) ?? refuse(node, 'payload files', `the pack has no list ${written.slice(0, 80)}`)
}

/** How many sets of values there are. */
export function countSets({ attack, lists }: Payloads): number {
  const lengths = [...lists.values()].map(({ length }) => length)
  if (attack === 'clusterbomb') return lengths.reduce((product, length) => product * length, 1)
  return Math.min(...lengths)
}

/** The sets one by one; the last list turns fastest. */
export function* payloadSets(payloads: Payloads): Iterable<ReadonlyMap<string, string>> {
  const lists = [...payloads.lists]
  const count = countSets(payloads)
  for (let set = 0; set < count; set++) {
    let rest = set
    const chosen = lists.toReversed().map(([name, values]) => {
      const place = payloads.attack === 'clusterbomb' ? rest % values.length : set
      rest = Math.floor(rest / values.length)
      return [name, values[place] ?? ''] as const
    })
    yield new Map(chosen)
  }
}
