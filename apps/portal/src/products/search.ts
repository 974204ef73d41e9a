/** Maps the search params of the list of technologies to API filters. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { EndOfLife, listProducts, ProductFilter, ProductOrder } from '@glacis/contract/product'
import { z } from 'zod/mini'
import { Flag, id, lenient, listOf, paging, shortText } from '#lib/search-schema.ts'

/** The search params of the list. */
export const ProductSearch = z.object({
  q: shortText,
  target: id,
  asset: id,
  vendor: shortText,
  /** Together with `vendor`: all versions of one product. */
  product: shortText,
  kind: listOf(z.enum(['application', 'system', 'hardware'])),
  support: listOf(z.enum(['past', 'soon', 'supported', 'unknown'])),
  risky: lenient(Flag),
  watched: lenient(Flag),
  /** Groups versions by product. */
  group: lenient(Flag),
  /** The panel for watching a technology. */
  watch: lenient(Flag),
  sort: lenient(z.enum(['name', 'support', 'risks', 'hosts'])),
  ...paging,
})
export type ProductSearch = z.infer<typeof ProductSearch>
export type KindParam = NonNullable<ProductSearch['kind']>[number]
export type SupportParam = NonNullable<ProductSearch['support']>[number]
export type ProductSort = NonNullable<ProductSearch['sort']>

const states: Readonly<Record<SupportParam, z.infer<typeof EndOfLife>['state']>> = {
  past: 'STATE_PAST',
  soon: 'STATE_SOON',
  supported: 'STATE_SUPPORTED',
  unknown: 'STATE_UNKNOWN',
}
const parts: Readonly<Record<KindParam, 'a' | 'o' | 'h'>> = { application: 'a', system: 'o', hardware: 'h' }
const orders: Readonly<Record<ProductSort, z.infer<typeof ProductOrder>>> = {
  name: 'ORDER_BY_NAME',
  support: 'ORDER_BY_END_OF_LIFE',
  risks: 'ORDER_BY_SEVERITY',
  hosts: 'ORDER_BY_HOSTS',
}

/** The list query. */
export function productsInput(search: ProductSearch): InputOf<typeof listProducts> {
  const { sort, size, after, group } = search
  return {
    pageSize: size ?? 25,
    pageToken: after?.at(-1),
    orderBy: orders[sort ?? defaultSort({ group })],
    filter: productFilter(search),
  }
}

/** Highest risk first; by name when grouped, so that the versions of a product are on the same page. */
export function defaultSort({ group }: Pick<ProductSearch, 'group'>): ProductSort {
  return group ? 'name' : 'risks'
}

/** The filter alone, for exports. */
export function productFilter(search: ProductSearch): ProductFilter {
  const { q, target, asset, vendor, product, kind, support, risky, watched } = search
  return {
    query: q || undefined,
    vendor,
    product,
    targetId: target,
    hostId: asset,
    hasIssues: risky,
    watched,
    parts: kind?.map((word) => parts[word]),
    endOfLife: support?.map((word) => states[word]),
  }
}
