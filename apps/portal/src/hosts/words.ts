/** How hosts and what runs on them are called. */
import type { Criticality, Host } from '@glacis/contract/host'
import type { Wfn } from '@glacis/contract/product'

/** The name under which it was reached, else its address. */
export function nameOf({ name, address }: Pick<Host, 'name' | 'address'>): string {
  return name || address
}

const isGiven = (value: string) => value !== '' && value !== '*' && value !== '-'

type Software = Pick<Host['inventory'][number], 'product' | 'wfn'>

/** "OpenSSH 9.2p1", from the product where there is one, else from its well-formed name. */
export function softwareName({ product, wfn }: Software): string {
  if (product) return `${product.name} ${product.version}`.trim()
  const version = isGiven(wfn.version) ? ` ${wfn.version}${isGiven(wfn.update) ? wfn.update : ''}` : ''
  return `${titled(wfn.product)}${version}`
}

/** What runs on a host, each once with its ports in order. */
export function softwareOf({ inventory }: Pick<Host, 'inventory'>) {
  const found = new Map<string, { name: string; productId: string | undefined; ports: number[] }>()
  for (const item of inventory) {
    const name = softwareName(item)
    const known = found.get(name) ?? { name, productId: item.product?.id, ports: [] }
    if (item.port !== undefined) known.ports.push(item.port)
    found.set(name, known)
  }
  for (const { ports } of found.values()) ports.sort((a, b) => a - b)
  return [...found.values()]
}

const kinds: Readonly<Record<string, string>> = { a: 'Application', o: 'Operating system', h: 'Hardware' }

/** What the part of a well-formed name means. */
export function kindOf({ part }: Pick<Wfn, 'part'>): string {
  return kinds[part] ?? 'Unknown'
}

function titled(word: string): string {
  const spaced = word.replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

/** How much a host matters to its owner. */
export const criticalityWords: Readonly<Record<Criticality, string>> = {
  CRITICALITY_HIGH: 'High',
  CRITICALITY_NORMAL: 'Normal',
  CRITICALITY_LOW: 'Low',
}
