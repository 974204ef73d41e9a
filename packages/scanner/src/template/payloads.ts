/** Payload lists of a template. */
import { at, items, keysOf, oneOf, reject, text, type Node } from '#template/parse-node.ts'

/** Maximum number of payload requests per check, and for all checks on one host. */
export interface PayloadLimits {
  readonly requestsPerCheck: number
  /** Per check that is not specific to a product and therefore runs on every service. */
  readonly requestsPerGeneralCheck: number
  readonly requestsPerHost: number
  /** Credential pairs to try. Few, because attempts can lock accounts. */
  readonly credentials: number
}

/** Limits for relevant checks, and for running every check of a folder. */
const relevantLimits: PayloadLimits = {
  requestsPerCheck: 400,
  requestsPerGeneralCheck: 48,
  requestsPerHost: 8_000,
  credentials: 12,
}
const exhaustiveLimits: PayloadLimits = {
  requestsPerCheck: 3_000,
  requestsPerGeneralCheck: 3_000,
  requestsPerHost: 40_000,
  credentials: 12,
}

export function payloadLimits({ isExhaustive = false }: { readonly isExhaustive?: boolean }): PayloadLimits {
  return isExhaustive ? exhaustiveLimits : relevantLimits
}

export interface Payloads {
  /** One list, lists in parallel, or all combinations. */
  readonly attack: 'batteringram' | 'pitchfork' | 'clusterbomb'
  readonly lists: ReadonlyMap<string, readonly string[]>
}

/** Reads the lines of a pack file; null when it is missing, too large, or outside the pack. */
export type ReadList = (path: string) => readonly string[] | null

const VALUES_MAX = 50_000
/** More combinations than any profile could send indicate a mistake or an attack. */
const SETS_MAX = 1_000_000
const VALUE_LENGTH_MAX = 64 * 1024

/** @throws UnsupportedFeature */
export function readPayloads(block: Node, readList: ReadList): Payloads | null {
  const node = at(block, 'payloads')
  if (node.value === undefined) return null
  const lists = new Map(keysOf(node).map((name) => [name, readValues(at(node, name), readList)] as const))
  const attack = oneOf(at(block, 'attack'), ['batteringram', 'pitchfork', 'clusterbomb'], 'batteringram')
  if (lists.size === 0) reject(node, 'invalid', 'payloads without a list')
  if (attack === 'batteringram' && lists.size > 1)
    reject(node, 'invalid', 'several lists require the attack pitchfork or clusterbomb')
  const sets = countSets({ attack, lists })
  if (sets > SETS_MAX) reject(node, 'too many requests', `${sets} sets of values, which is more than ${SETS_MAX}`)
  return { attack, lists }
}

/** A list is inline, one multi-line text, or a file reference. */
function readValues(node: Node, readList: ReadList): readonly string[] {
  const values = Array.isArray(node.value)
    ? items(node).map((item) => (item.value === null ? '' : text(item)))
    : readLines(node, readList)
  if (values.length === 0 || values.length > VALUES_MAX)
    reject(node, 'payload files', 'a list that is empty or too long')
  if (values.some((value) => value.length > VALUE_LENGTH_MAX)) reject(node, 'invalid', 'a payload that is too long')
  return values
}

function readLines(node: Node, readList: ReadList): readonly string[] {
  const source = text(node)
  if (source.includes('\n')) return source.split('\n').filter((line) => line !== '')
  return readList(source) ?? reject(node, 'payload files', `the pack does not contain the list ${source.slice(0, 80)}`)
}

/** Number of value sets. */
export function countSets({ attack, lists }: Payloads): number {
  const lengths = [...lists.values()].map(({ length }) => length)
  if (attack === 'clusterbomb') return lengths.reduce((product, length) => product * length, 1)
  return Math.min(...lengths)
}

/** Enumerates the value sets; the last list varies fastest. */
export function* payloadSets(payloads: Payloads): Iterable<ReadonlyMap<string, string>> {
  const lists = [...payloads.lists]
  const count = countSets(payloads)
  for (let set = 0; set < count; set++) {
    let rest = set
    const chosen = lists.toReversed().map(([name, values]) => {
      const valueIndex = payloads.attack === 'clusterbomb' ? rest % values.length : set
      rest = Math.floor(rest / values.length)
      return [name, values[valueIndex] ?? ''] as const
    })
    yield new Map(chosen)
  }
}
