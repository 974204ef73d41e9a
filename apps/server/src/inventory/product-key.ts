import type { Wfn } from '@glacis/contract/product'
import { fromWfn, productKey } from '@glacis/intelligence'

/** The canonical `vendor:product` key under which threats and lifecycles are stored. */
export function productKeyOf(wfn: Wfn): string {
  const name = fromWfn(wfn)
  return (name && productKey(name)) ?? ''
}

/** Splits a canonical key at its first unquoted colon. */
export function splitProductKey(subject: string): { vendor: string; product: string } {
  const at = /(?<!\\):/.exec(subject)?.index ?? subject.length
  return { vendor: subject.slice(0, at), product: subject.slice(at + 1) }
}
