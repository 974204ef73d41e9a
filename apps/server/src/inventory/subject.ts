import type { Wfn } from '@glacis/contract/product'
import { fromWfn, productKey } from '@glacis/intelligence'

/** The canonical `vendor:product` of a name, under which threats and life cycles speak of it. */
export function subjectOf(wfn: Wfn): string {
  const name = fromWfn(wfn)
  return (name && productKey(name)) ?? ''
}

/** The vendor and product of such a key; its colon is the first one that is not quoted. */
export function partsOf(subject: string): { vendor: string; product: string } {
  const at = /(?<!\\):/.exec(subject)?.index ?? subject.length
  return { vendor: subject.slice(0, at), product: subject.slice(at + 1) }
}
