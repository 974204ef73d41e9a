import type { Product } from '@glacis/contract/product'

/** At least one. */
export type NonEmpty<Item> = readonly [Item, ...Item[]]

/** Versions of a product whose support ends on the same day as one group, at the position of the first. */
export function endOfLifeGroups(products: readonly Product[]): NonEmpty<Product>[] {
  const groups = Map.groupBy(
    products,
    ({ wfn, endOfLife }) => `${wfn.part}:${wfn.vendor}:${wfn.product} ${endOfLife?.date}`,
  )
  return [...groups.values()].flatMap(([first, ...others]) => (first ? [[first, ...others] as const] : []))
}
