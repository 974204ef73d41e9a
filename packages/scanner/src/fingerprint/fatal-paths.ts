/** Paths that a product doesn't have, and that end its process. */
const fatalPaths: readonly (readonly [path: RegExp, product: string, page: RegExp])[] = [
  [/^\/api\/v1\/(?!(?:fs|config)\b)/, 'cloud_commander', /\/dist\/cloudcmd\b/],
]

/** @param names of the identified products, normalized */
export function isFatalPath(path: string, names: ReadonlySet<string>): boolean {
  return fatalPaths.some(([fatal, product]) => fatal.test(path) && names.has(product))
}

/** For a server that isn't identified yet. */
export function isFatalFor(page: string, path: string): boolean {
  return fatalPaths.some(([fatal, , front]) => fatal.test(path) && front.test(page))
}
