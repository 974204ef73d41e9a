/** Versions of one product under one row. */
import type { Product } from '@glacis/contract/product'

export type ProductRow =
  | { readonly kind: 'product'; readonly id: string; readonly product: Product; readonly isNested: boolean }
  | { readonly kind: 'group'; readonly id: string; readonly versions: readonly Product[]; readonly isOpen: boolean }

/** Each product as a row of its own. */
export function flatRows(products: readonly Product[]): ProductRow[] {
  return products.map((product) => ({ kind: 'product', id: product.id, product, isNested: false }))
}

/**
 * One row for each product of which the page has several versions, where the first of them stood, and
 * the versions below it while it is open. What has one version stands for itself.
 */
export function groupedRows(products: readonly Product[], open: ReadonlySet<string>): ProductRow[] {
  const groups = Map.groupBy(products, keyOf)
  return [...groups].flatMap(([id, versions]): ProductRow[] => {
    if (versions.length === 1) return flatRows(versions)
    const isOpen = open.has(id)
    const nested = isOpen ? flatRows(versions).map((row) => ({ ...row, isNested: true })) : []
    return [{ kind: 'group', id, versions, isOpen }, ...nested]
  })
}

function keyOf({ wfn: { part, vendor, product } }: Product): string {
  return [part, vendor, product].join(':')
}

export interface Spread {
  readonly version: string
  readonly hosts: number
  /** Of all hosts, from 0 to 1. */
  readonly share: number
}

/** How the hosts are spread over the versions, most first; versions that run nowhere have no part in it. */
export function spreadOf(versions: readonly Product[]): Spread[] {
  const total = hostsOf(versions)
  return versions
    .map(({ version, hostCount: hosts = 0 }) => ({ version: version || 'any', hosts, share: hosts / total }))
    .filter(({ hosts }) => hosts > 0)
    .toSorted((one, other) => other.hosts - one.hosts)
}

/** Hosts of all versions; one that runs two of them counts for each. */
export function hostsOf(versions: readonly Product[]): number {
  return versions.reduce((sum, { hostCount = 0 }) => sum + hostCount, 0)
}

/** "1.18.0 on 3 hosts, 1.22.1 on 1 host" */
export function spreadWords(spread: readonly Spread[]): string {
  return spread.map(({ version, hosts }) => `${version} on ${hosts === 1 ? '1 host' : `${hosts} hosts`}`).join(', ')
}
