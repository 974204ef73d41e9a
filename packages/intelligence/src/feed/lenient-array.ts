import { z } from 'zod'

/** An array schema that drops invalid items, so that one of them doesn't invalidate the whole record. */
export function lenientArray<Item extends z.ZodType>(item: Item) {
  const strict = z.array(item)
  return z
    .array(z.unknown())
    .catch([])
    .transform((items): z.output<Item>[] => {
      // Fast path: nearly every array is valid.
      const parsed = strict.safeParse(items)
      if (parsed.success) return parsed.data
      return items.flatMap((value) => {
        const { success, data } = item.safeParse(value)
        return success ? [data] : []
      })
    })
}
