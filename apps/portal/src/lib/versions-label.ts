import type { Product } from '@glacis/contract/product'

/**
 * Names several versions of a product. Those of one release cycle, whose support ends on the same day, are named by the
 * parts they all start with: "1.18.0" and "1.18.2" are "1.18.x". Otherwise, two versions are listed and more are counted.
 */
export function versionsLabel(products: readonly Pick<Product, 'version' | 'endOfLife'>[]): string {
  const versions = [...new Set(products.map(({ version }) => version))].filter((version) => version !== '')
  const [first = '', second = ''] = versions
  if (versions.length < 2) return first
  const isOneCycle = new Set(products.map(({ endOfLife }) => endOfLife?.date)).size === 1
  const shared = isOneCycle ? sharedParts(first, versions) : []
  if (shared.length > 0) return `${shared.join('.')}.x`
  return versions.length === 2 ? `${first}, ${second}` : `${versions.length} versions`
}

function sharedParts(first: string, versions: readonly string[]): readonly string[] {
  const split = versions.map((version) => version.split('.'))
  return first.split('.').filter((_, index, parts) => {
    const prefix = parts.slice(0, index + 1).join('.')
    return split.every((other) => other.length > index + 1 && other.slice(0, index + 1).join('.') === prefix)
  })
}
