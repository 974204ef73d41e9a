/** CVSS 2.0 base scores (FIRST, "A Complete Guide to the Common Vulnerability Scoring System", section 3.2.1). */
import { parseMetrics, lookUpWeights } from '#cvss/vector.ts'

const baseWeights = {
  AV: { L: 0.395, A: 0.646, N: 1 },
  AC: { H: 0.35, M: 0.61, L: 0.71 },
  Au: { M: 0.45, S: 0.56, N: 0.704 },
  C: { N: 0, P: 0.275, C: 0.66 },
  I: { N: 0, P: 0.275, C: 0.66 },
  A: { N: 0, P: 0.275, C: 0.66 },
} as const

/**
 * Computes the base score of a vector, with or without surrounding parentheses.
 *
 * @returns 0 to 10 with one decimal; null if it is not a complete 2.0 vector
 */
export function scoreV2(vector: string): number | null {
  const metrics = parseMetrics(vector.replace(/^\((.*)\)$/, '$1'))
  const weights = metrics && lookUpWeights(metrics, baseWeights)
  if (!weights) return null
  const impact = 10.41 * (1 - (1 - weights.C) * (1 - weights.I) * (1 - weights.A))
  const exploitability = 20 * weights.AV * weights.AC * weights.Au
  const score = (0.6 * impact + 0.4 * exploitability - 1.5) * (impact === 0 ? 0 : 1.176)
  return Math.round(score * 10) / 10
}
