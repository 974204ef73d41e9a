import { z } from 'zod'

/** A list whose broken items are left out: one of them must not cost the rest of a record. */
export function sound<Item extends z.ZodType>(item: Item) {
  const whole = z.array(item)
  return z
    .array(z.unknown())
    .catch([])
    .transform((items): z.output<Item>[] => {
      // Nearly every list is: each of a hundred thousand records has some of them.
      const all = whole.safeParse(items)
      if (all.success) return all.data
      return items.flatMap((one) => {
        const { success, data } = item.safeParse(one)
        return success ? [data] : []
      })
    })
}
