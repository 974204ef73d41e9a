/**
 * Aho–Corasick search (1975) for many literals in one pass. Case-insensitive, so that it never
 * misses a case-sensitive match.
 */
export interface LiteralSearch {
  /** Marks the literals that occur in the byte string in `found`, by index. */
  mark(text: string, found: Uint8Array): void
}

/** @param words byte strings, identified by their index. An empty one is never found. */
export function createLiteralSearch(words: readonly string[]): LiteralSearch {
  const trie = createTrie(words.map((word) => word.toLowerCase()))
  const { steps, fail, outputs, suffix } = withFailureLinks(trie)
  return {
    mark(text, found) {
      const lower = text.toLowerCase()
      let state = 0
      for (let at = 0; at < lower.length; at++) {
        const character = lower.charCodeAt(at)
        let next = steps.get(state, character)
        while (next === 0 && state !== 0) {
          state = fail[state] ?? 0
          next = steps.get(state, character)
        }
        state = next
        for (let end = outputs[state] === -1 ? (suffix[state] ?? 0) : state; end !== 0; end = suffix[end] ?? 0)
          mark(end, found)
      }
    },
  }

  function mark(state: number, found: Uint8Array): void {
    for (let word = outputs[state] ?? -1; word !== -1; word = trie.sameWord[word] ?? -1) found[word] = 1
  }
}

interface Trie {
  readonly steps: Steps
  /** Parent and input character of each state, in order of creation. */
  readonly parents: readonly number[]
  readonly signs: readonly number[]
  /** The literal that ends in each state; -1 for none. */
  readonly ends: readonly number[]
  /** The next literal with the same text; -1 for none. */
  readonly sameWord: readonly number[]
}

function createTrie(words: readonly string[]): Trie {
  const steps = createSteps(words.reduce((sum, { length }) => sum + length, 1))
  const [parents, signs, ends] = [[0], [0], [-1]]
  const sameWord: number[] = []
  for (const [number, word] of words.entries()) {
    let state = 0
    for (let at = 0; at < word.length; at++) {
      const character = word.charCodeAt(at)
      let next = steps.get(state, character)
      if (next === 0) {
        next = parents.length
        steps.set(state, character, next)
        parents.push(state)
        signs.push(character)
        ends.push(-1)
      }
      state = next
    }
    sameWord.push(state === 0 ? -1 : (ends[state] ?? -1))
    if (state !== 0) ends[state] = number
  }
  return { steps, parents, signs, ends, sameWord }
}

/** Failure links, and the next shorter literal that ends at the same position. */
function withFailureLinks({ steps, parents, signs, ends }: Trie) {
  const fail = new Int32Array(parents.length)
  const suffix = new Int32Array(parents.length)
  for (const state of byDepth(parents)) {
    const character = signs[state] ?? 0
    let other = fail[parents[state] ?? 0] ?? 0
    while (other !== 0 && steps.get(other, character) === 0) other = fail[other] ?? 0
    const target = parents[state] === 0 ? 0 : steps.get(other, character)
    fail[state] = target
    suffix[state] = ends[target] === -1 ? (suffix[target] ?? 0) : target
  }
  return { steps, fail, suffix, outputs: Int32Array.from(ends) }
}

function byDepth(parents: readonly number[]): number[] {
  const depths = new Int32Array(parents.length)
  for (let state = 1; state < parents.length; state++) depths[state] = (depths[parents[state] ?? 0] ?? 0) + 1
  return Array.from({ length: parents.length - 1 }, (_, at) => at + 1).sort(
    (left, right) => (depths[left] ?? 0) - (depths[right] ?? 0),
  )
}

interface Steps {
  /** 0 when there is no transition. */
  get(state: number, character: number): number
  set(state: number, character: number, next: number): void
}

/** Hash table of integers with open addressing; the characters are bytes. */
function createSteps(sizeMax: number): Steps {
  const size = 2 ** Math.ceil(Math.log2(sizeMax * 2 + 16))
  const keys = new Int32Array(size).fill(-1)
  const values = new Int32Array(size)
  const slotOf = (key: number) => {
    let at = (Math.imul(key, 0x9e3779b1) >>> 8) & (size - 1)
    while (keys[at] !== -1 && keys[at] !== key) at = (at + 1) & (size - 1)
    return at
  }
  return {
    get(state, character) {
      return values[slotOf((state << 8) | (character & 255))] ?? 0
    },
    set(state, character, next) {
      const key = (state << 8) | (character & 255)
      const at = slotOf(key)
      keys[at] = key
      values[at] = next
    },
  }
}
