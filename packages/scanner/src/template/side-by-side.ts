/** Merges what several works yield, a few of them at a time. */
import { createChannel } from '#channel.ts'
import { forEachOf } from '#pool.ts'

const UNREAD_MAX = 100

/**
 * Runs the work of each item, at most so many at one time, and yields what they yield in the order
 * it comes. Works are told to stop by the signal that they are given, also when nobody reads on.
 *
 * @throws the first error of a work, after everything that was yielded until then
 */
export async function* sideBySide<Item, Value>(
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
    ending.abort(new Error('no longer wanted'))
    channel.end()
    await running
  }
}
