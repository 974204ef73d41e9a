/** Merges the output of concurrent generators. */
import { createChannel } from '#channel.ts'
import { forEachOf } from '#pool.ts'

const UNREAD_MAX = 100

/**
 * Runs one generator per item with limited concurrency and yields their values as they arrive.
 * Generators are stopped through their signal, even when the consumer stops reading.
 *
 * @throws the first error of a generator, after everything yielded before it
 */
export async function* mergeConcurrently<Item, Value>(
  items: Iterable<Item>,
  parallel: number,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => AsyncIterable<Value>,
): AsyncGenerator<Value, void, undefined> {
  const channel = createChannel<Value>(UNREAD_MAX)
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  let failure: { readonly reason: unknown } | undefined
  const running = forEachOf(items, parallel, async (item) => {
    for await (const value of work(item, either)) await channel.put(value)
  })
    .catch((error: unknown) => {
      failure = { reason: error }
    })
    .finally(() => channel.end())
  try {
    yield* channel
    if (failure) throw failure.reason
  } finally {
    ending.abort(new Error('request canceled'))
    channel.end()
    await running
  }
}
