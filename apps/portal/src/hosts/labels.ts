/** Display names of hosts and their software. */
import type { Criticality, Host } from '@glacis/contract/host'
import type { Wfn } from '@glacis/contract/product'

/** The name under which the host was reached, else its address. */
export function hostName({ name, address }: Pick<Host, 'name' | 'address'>): string {
  return name || address
}

const isSpecified = (value: string) => value !== '' && value !== '*' && value !== '-'

type Software = Pick<Host['inventory'][number], 'product' | 'wfn'>

/** "OpenSSH 9.2p1": from the product if there is one, else from the WFN. */
export function softwareName({ product, wfn }: Software): string {
  if (product) return `${product.name} ${product.version}`.trim()
  const version = isSpecified(wfn.version) ? ` ${wfn.version}${isSpecified(wfn.update) ? wfn.update : ''}` : ''
  return `${displayName(wfn.product)}${version}`
}

/** The software of a host without duplicates, each with its sorted ports. */
export function installedSoftware({ inventory }: Pick<Host, 'inventory'>) {
  const groups = new Map<string, { name: string; productId: string | undefined; ports: number[] }>()
  for (const item of inventory) {
    const name = softwareName(item)
    const group = groups.get(name) ?? { name, productId: item.product?.id, ports: [] }
    if (item.port !== undefined) group.ports.push(item.port)
    groups.set(name, group)
  }
  for (const { ports } of groups.values()) ports.sort((a, b) => a - b)
  return [...groups.values()]
}

const partLabels: Readonly<Record<string, string>> = { a: 'Application', o: 'Operating system', h: 'Hardware' }

/** The label of a WFN's `part`. */
export function partLabel({ part }: Pick<Wfn, 'part'>): string {
  return partLabels[part] ?? 'Unknown'
}

function displayName(word: string): string {
  const spaced = word.replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

export const criticalityLabels: Readonly<Record<Criticality, string>> = {
  CRITICALITY_HIGH: 'High',
  CRITICALITY_NORMAL: 'Normal',
  CRITICALITY_LOW: 'Low',
}
