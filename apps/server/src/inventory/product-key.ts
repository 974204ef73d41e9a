import type { Wfn } from '@glacis/contract/product'
import { formatVersion, fromWfn, productKey } from '@glacis/intelligence'

/** The canonical `vendor:product` key under which threats and lifecycles are stored. */
export function productKeyOf(wfn: Wfn): string {
  const name = fromWfn(wfn)
  return (name && productKey(name)) ?? ''
}

/** The version as shown to users, such as `8.9p1`; empty if it is unknown. */
export function versionOf({ version, update }: Wfn): string {
  return formatVersion({ version: known(version), update: known(update) })
}

function known(value: string): string {
  return value === '*' || value === '-' ? '' : value
}

/** Splits a canonical key at its first unquoted colon. */
export function splitProductKey(subject: string): { vendor: string; product: string } {
  const at = /(?<!\\):/.exec(subject)?.index ?? subject.length
  return { vendor: subject.slice(0, at), product: subject.slice(at + 1) }
}
