import { z } from 'zod'

/** A list whose broken items are left out: one of them must not cost the rest of a record. */
export function sound<Item extends z.ZodType>(item: Item) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((items): z.output<Item>[] =>
      items.flatMap((one) => {
        const { success, data } = item.safeParse(one)
        return success ? [data] : []
      }),
    )
}
