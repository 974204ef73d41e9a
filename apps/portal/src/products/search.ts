/** Maps the search params of the list of technologies to API filters. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { EndOfLife, listProducts, ProductFilter, ProductOrder } from '@glacis/contract/product'
import type { z } from 'zod/mini'

export type KindParam = 'application' | 'system' | 'hardware'
export type SupportParam = 'past' | 'soon' | 'supported' | 'unknown'
export type ProductSort = 'name' | 'support' | 'risks' | 'hosts'

/** The search params of the list. */
export interface ProductSearch {
  readonly q?: string | undefined
  readonly target?: string | undefined
  readonly asset?: string | undefined
  readonly vendor?: string | undefined
  /** Together with `vendor`: all versions of one product. */
  readonly product?: string | undefined
  readonly kind?: readonly KindParam[] | undefined
  readonly support?: readonly SupportParam[] | undefined
  readonly risky?: boolean | undefined
  readonly watched?: boolean | undefined
  readonly watch?: boolean | undefined
  /** Groups versions by product. */
  readonly group?: boolean | undefined
  readonly sort?: ProductSort | undefined
  readonly size?: 25 | 50 | 100 | 500 | undefined
  readonly after?: readonly string[] | undefined
}

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

/** True if any filter is active. */
export function hasFilters(search: ProductSearch): boolean {
  const { q, target, asset, vendor, product, kind, support, risky, watched } = search
  return Boolean(q || target || asset || vendor || product || kind?.length || support?.length || risky || watched)
}
