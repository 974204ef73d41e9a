/** The search of the list from which the current page was opened, so that breadcrumbs keep its filters and page. */

interface Location {
  readonly pathname: string
  readonly search: object
}

let last: Location | undefined

/** Called with every page that has loaded. Pages of one item are not lists, and an open form is not part of a list. */
export function rememberList({ pathname, search }: Location): void {
  if (!/\/[\da-f-]{36}(?:\/|$)/.test(pathname)) last = { pathname, search: { ...search, create: undefined } }
}

/** The search that the list had, if it was the last one shown. */
export function lastSearchOf(pathname: string): object {
  return last?.pathname === pathname ? last.search : {}
}
