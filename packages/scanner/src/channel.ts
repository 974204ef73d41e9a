/** A bounded queue between those who find something out and the one who reads it. */
export interface Channel<Item> extends AsyncIterable<Item> {
  /** Resolves once the item has a place; an unread channel makes its writers wait. */
  put(item: Item): Promise<void>
  /** Ends the reading after what is queued; with an error it ends by throwing it, at once. */
  end(error?: { readonly reason: unknown }): void
}

/** @param sizeMax items that wait unread before writers are made to wait */
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
