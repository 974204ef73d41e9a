import type { FingerprintFile } from '#fingerprint/fingerprint-file.ts'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'

/** A page that fingerprints need. */
export interface WebPath {
  /** The field of its fingerprints. */
  readonly field: string
  readonly path: string
  /** Requested only from servers whose front page or headers contain this text, or equal it after `=`. */
  readonly requires: string
}

/** Maximum number of pages requested from every web server. */
const webPathsMax = 32

/**
 * A fingerprint field `http.path:/version` makes the scanner request `/version` from every web server; the field
 * `http.path:/version <title>Shop` only from those that contain `<title>Shop`,
 * and `http.path:/hooks/ =OK` only from those whose front page is `OK`. For these, 404 is an answer, too.
 */
export function webPathsOf(files: readonly FingerprintFile[]): WebPath[] {
  const fields = new Set(files.map(({ matches }) => matches))
  const pages = [...fields].flatMap((field) => {
    const [, path, requires = ''] = /^http\.path:(\/\S*)(?: (.+))?$/.exec(field) ?? []
    return path === undefined ? [] : [{ field, path, requires }]
  })
  const { general = [], specific = [] } = Object.groupBy(pages, ({ requires }) => (requires ? 'specific' : 'general'))
  return [...general.slice(0, webPathsMax), ...specific]
}

/** Fields to read from a server whose front page and headers are known, by path. */
export function relevantPaths(
  paths: readonly WebPath[],
  traces: readonly FingerprintText[],
): ReadonlyMap<string, readonly WebPath[]> {
  const isRelevant = ({ requires }: WebPath) =>
    traces.some(({ text }) => (requires.startsWith('=') ? text === requires.slice(1) : text.includes(requires)))
  return Map.groupBy(
    paths.filter((item) => item.requires === '' || isRelevant(item)),
    ({ path }) => path,
  )
}
