/** FIRST's Exploit Prediction Scoring System: one line per CVE, `cve,epss,percentile`. */

/** How likely a CVE is exploited. */
export interface Exploitation {
  readonly id: string
  /** Probability of exploitation within 30 days, 0 to 1. */
  readonly score: number
  /** Share of all CVEs that score no higher, 0 to 1. */
  readonly percentile: number
}

/**
 * Reads a line of the daily file.
 *
 * @returns null for comments, the heading and whatever is not three proper columns
 */
export function readEpssLine(line: string): Exploitation | null {
  const [, id, first, second] = /^(CVE-\d{4}-\d{4,}),([\d.eE+-]+),([\d.eE+-]+)\s*$/.exec(line) ?? []
  const score = Number(first)
  const percentile = Number(second)
  if (id === undefined || !isShare(score) || !isShare(percentile)) return null
  return { id, score, percentile }
}

function isShare(value: number): boolean {
  return value >= 0 && value <= 1
}
