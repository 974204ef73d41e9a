import { fromQueryString } from '@glacis/contract/query-string'

/** What stands behind the first question mark of a URL; more of them are text like any other (RFC 3986, section 3.4). */
export function queryOf(url: string): Record<string, unknown> {
  const at = url.indexOf('?')
  return at === -1 ? {} : fromQueryString(url.slice(at + 1))
}
