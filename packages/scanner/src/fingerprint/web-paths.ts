import type { FingerprintFile } from '#fingerprint/fingerprint-file.ts'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'

/** A page that fingerprints need. */
export interface WebPath {
  readonly path: string
  /** Requested only from servers whose front page or headers contain this text. */
  readonly requires: string
}

/** Of pages requested from every web server. */
const webPathsMax = 24

/**
 * A fingerprint field `http.path:/version` makes the scanner request `/version` from every web server, or from those that the
 * file requires.
 */
export function webPathsOf(files: readonly FingerprintFile[]): WebPath[] {
  const pages = files.flatMap(({ matches, requires = '' }) => {
    const [, path] = /^http\.path:(\/\S*)$/.exec(matches) ?? []
    return path === undefined ? [] : [{ path, requires }]
  })
  const { general = [], specific = [] } = Object.groupBy(pages, ({ requires }) => (requires ? 'specific' : 'general'))
  const generalPaths = [...new Set(general.map(({ path }) => path))].slice(0, webPathsMax)
  return [...generalPaths.map((path) => ({ path, requires: '' })), ...specific]
}

/** Paths to request from a server whose front page and headers are known. */
export function relevantPaths(paths: readonly WebPath[], traces: readonly FingerprintText[]): Set<string> {
  const isRelevant = ({ requires }: WebPath) => traces.some(({ text }) => text.includes(requires))
  return new Set(paths.filter((item) => item.requires === '' || isRelevant(item)).map(({ path }) => path))
}
