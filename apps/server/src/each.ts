/** Sequential work in which one failure does not stop the rest. */

/**
 * Runs `work` for each item in order and continues after failures.
 *
 * @throws AggregateError at the end, with all failures
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
