/**
 * Runs `work` for each item in order and continues after failures.
 *
 * @throws AggregateError with all failures, after the last item
 */
export async function forEachSettled<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = []
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${items.length} failed: ${failures.join('; ')}`)
}
