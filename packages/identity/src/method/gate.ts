/** A bound on how much of something happens at once. */

export type Gate = <T>(work: () => Promise<T>) => Promise<T>

/** A gate that lets so many pass at a time; the others wait, and pass in the order in which they came. */
export function createGate(atOnceMax: number): Gate {
  const waiting: (() => void)[] = []
  let inside = 0
  return async (work) => {
    if (inside < atOnceMax) inside += 1
    // Who leaves hands the place on, so that nobody new can take it before.
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else inside -= 1
    }
  }
}
