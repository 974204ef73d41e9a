/** Groups the versions of a product under one row. */
import type { Product } from '@glacis/contract/product'

export type ProductRow =
  | { readonly kind: 'product'; readonly id: string; readonly product: Product; readonly isNested: boolean }
  | { readonly kind: 'group'; readonly id: string; readonly versions: readonly Product[]; readonly isOpen: boolean }

/** One row per product and version. */
export function flatRows(products: readonly Product[]): ProductRow[] {
  return products.map((product) => ({ kind: 'product', id: product.id, product, isNested: false }))
}

/**
 * Groups products that have several versions on the page, at the position of the first version. An open group is
 * followed by its versions. Products with one version stay ungrouped.
 */
export function groupedRows(products: readonly Product[], open: ReadonlySet<string>): ProductRow[] {
  const groups = Map.groupBy(products, productKey)
  return [...groups].flatMap(([id, versions]): ProductRow[] => {
    if (versions.length === 1) return flatRows(versions)
    const isOpen = open.has(id)
    const nested = isOpen ? flatRows(versions).map((row) => ({ ...row, isNested: true })) : []
    return [{ kind: 'group', id, versions, isOpen }, ...nested]
  })
}

function productKey({ wfn: { part, vendor, product } }: Product): string {
  return [part, vendor, product].join(':')
}

/** The versions of a product whose support has ended, or else those whose support ends soon, in list order. */
export function endOfLifeVersions<Version extends Pick<Product, 'endOfLife'>>(versions: readonly Version[]): Version[] {
  const past = versions.filter(({ endOfLife }) => endOfLife?.state === 'STATE_PAST')
  return past.length > 0 ? past : versions.filter(({ endOfLife }) => endOfLife?.state === 'STATE_SOON')
}

export interface VersionShare {
  readonly version: string
  readonly hosts: number
  /** Share of all hosts, 0 to 1. */
  readonly share: number
}

/** The distribution of hosts over versions, largest first, without versions that run on no host. */
export function versionShares(versions: readonly Product[]): VersionShare[] {
  const total = totalHosts(versions)
  return versions
    .map(({ version, hostCount: hosts = 0 }) => ({
      version: version || 'unknown version',
      hosts,
      share: hosts / total,
    }))
    .filter(({ hosts }) => hosts > 0)
    .toSorted((one, other) => other.hosts - one.hosts)
}

/** The number of hosts of all versions. A host that runs two versions counts twice. */
export function totalHosts(versions: readonly Product[]): number {
  return versions.reduce((sum, { hostCount = 0 }) => sum + hostCount, 0)
}

/** "1.18.0 on 3 hosts, 1.22.1 on 1 host" */
export function versionSharesText(spread: readonly VersionShare[]): string {
  return spread.map(({ version, hosts }) => `${version} on ${hosts === 1 ? '1 host' : `${hosts} hosts`}`).join(', ')
}
