/** Seeded pseudorandom numbers (mulberry32). */
export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number
  pick<T>(items: readonly T[]): T
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, pick: (items) => items[Math.floor(next() * items.length)] as (typeof items)[number] } // no list is empty
}
