/** Between the address of the list of technologies and what the API is asked for. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { EndOfLife, listProducts, ProductFilter, ProductOrder } from '@glacis/contract/product'
import type { z } from 'zod'

export type KindWord = 'application' | 'system' | 'hardware'
export type SupportWord = 'past' | 'soon' | 'supported' | 'unknown'
export type ProductSort = 'name' | 'support' | 'risks' | 'hosts'

/** What the address of the list may carry. */
export interface ProductSearch {
  readonly q?: string | undefined
  readonly target?: string | undefined
  readonly asset?: string | undefined
  readonly vendor?: string | undefined
  /** With the vendor: all versions of one product. */
  readonly product?: string | undefined
  readonly kind?: readonly KindWord[] | undefined
  readonly support?: readonly SupportWord[] | undefined
  readonly risky?: boolean | undefined
  readonly watched?: boolean | undefined
  readonly watch?: boolean | undefined
  /** Versions stand below their product. */
  readonly group?: boolean | undefined
  readonly sort?: ProductSort | undefined
  readonly size?: 25 | 50 | 100 | 500 | undefined
  readonly after?: readonly string[] | undefined
}

const states: Readonly<Record<SupportWord, z.infer<typeof EndOfLife>['state']>> = {
  past: 'STATE_PAST',
  soon: 'STATE_SOON',
  supported: 'STATE_SUPPORTED',
  unknown: 'STATE_UNKNOWN',
}
const parts: Readonly<Record<KindWord, 'a' | 'o' | 'h'>> = { application: 'a', system: 'o', hardware: 'h' }
const orders: Readonly<Record<ProductSort, z.infer<typeof ProductOrder>>> = {
  name: 'ORDER_BY_NAME',
  support: 'ORDER_BY_END_OF_LIFE',
  risks: 'ORDER_BY_SEVERITY',
  hosts: 'ORDER_BY_HOSTS',
}

/**
 * What the API is asked for. The worst comes first, unless somebody wants it otherwise; by name where versions are
 * grouped, so that those of a product come together on a page.
 */
export function productsInput(search: ProductSearch): InputOf<typeof listProducts> {
  const { sort, size, after, group } = search
  return {
    pageSize: size ?? 25,
    pageToken: after?.at(-1),
    orderBy: orders[sort ?? usualSort({ group })],
    filter: filterOf(search),
  }
}

/** By name, versions of one product come together. */
export function usualSort({ group }: Pick<ProductSearch, 'group'>): ProductSort {
  return group ? 'name' : 'risks'
}

/** The filter alone, for a file of all that match. */
export function filterOf(search: ProductSearch): ProductFilter {
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

/** True where something narrows the list. */
export function isNarrowed(search: ProductSearch): boolean {
  const { q, target, asset, vendor, product, kind, support, risky, watched } = search
  return Boolean(q || target || asset || vendor || product || kind?.length || support?.length || risky || watched)
}
