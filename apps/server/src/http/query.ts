import { fromQueryString } from '@glacis/contract/query-string'

/** Parses the query of a URL, which starts after the first question mark (RFC 3986, section 3.4). */
export function queryOf(url: string): Record<string, unknown> {
  const at = url.indexOf('?')
  return at === -1 ? {} : fromQueryString(url.slice(at + 1))
}

/** The query of a file or stream, without the workspace, which the guard reads. */
export function fileQueryOf(url: string): Record<string, unknown> {
  const { workspace: _, ...query } = queryOf(url)
  return query
}
