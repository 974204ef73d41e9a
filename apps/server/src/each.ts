/** Work on one after the other, of which none keeps the others from being done. */

/**
 * Does the work on each, in order, also where it fails on one before.
 *
 * @throws AggregateError afterwards, of all that failed
 */
export async function onEach<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = []
  for (const one of all) {
    try {
      await work(one)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${all.length} failed: ${failures.join('; ')}`)
}
