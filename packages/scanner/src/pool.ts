/**
 * Runs the work for each item in order, with limited concurrency. On the first error, starts no
 * more work and throws the error after the running work has ended.
 */
export async function forEachOf<Item>(
  items: Iterable<Item>,
  parallel: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  const failures: unknown[] = []
  const walk = async () => {
    while (failures.length === 0) {
      const next = rest.next()
      if (next.done) return
      await work(next.value).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: parallel }, walk))
  if (failures.length > 0) throw failures[0]
}
