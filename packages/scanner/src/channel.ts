/** Bounded queue between several producers and one consumer. */
export interface Channel<Item> extends AsyncIterable<Item> {
  /** Resolves once the item is queued. Applies backpressure while the queue is full. */
  put(item: Item): Promise<void>
  /** Ends iteration after the queued items; with an error, iteration throws it immediately. */
  end(error?: { readonly reason: unknown }): void
}

/** @param sizeMax queued items before producers must wait */
export function createChannel<Item>(sizeMax: number): Channel<Item> {
  const queue: Item[] = []
  let ended: { readonly error?: { readonly reason: unknown } } | undefined
  let changed = Promise.withResolvers<void>()
  const notify = () => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  return {
    async put(item) {
      while (queue.length >= sizeMax && !ended) await changed.promise
      if (ended) return
      queue.push(item)
      notify()
    },
    end(error) {
      ended ??= error ? { error } : {}
      notify()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        if (ended?.error) throw ended.error.reason
        const item = queue.shift()
        if (item !== undefined) {
          notify()
          yield item
        } else if (ended) return
        else await changed.promise
      }
    },
  }
}
