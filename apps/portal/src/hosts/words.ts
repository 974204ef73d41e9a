/** How hosts and what runs on them are called. */
import type { Host, Wfn } from '@glacis/contract/inventory'

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

const kinds: Readonly<Record<string, string>> = { a: 'Application', o: 'Operating system', h: 'Hardware' }

/** What the part of a well-formed name means. */
export function kindOf({ part }: Pick<Wfn, 'part'>): string {
  return kinds[part] ?? 'Unknown'
}

function titled(word: string): string {
  const spaced = word.replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}
