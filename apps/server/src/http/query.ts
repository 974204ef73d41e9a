import { fromQueryString } from '@glacis/contract/query-string'

/** Parses the query of a URL, which starts after the first question mark (RFC 3986, section 3.4). */
export function queryOf(url: string): Record<string, unknown> {
  const at = url.indexOf('?')
  return at === -1 ? {} : fromQueryString(url.slice(at + 1))
}
