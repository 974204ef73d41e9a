/** CVSS 3.0 and 3.1 base scores (FIRST, "Common Vulnerability Scoring System v3.1", section 7). */
import { parseMetrics, lookUpWeights } from '#cvss/vector.ts'

const baseWeights = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  // Weights for an unchanged scope; see privilegesInChangedScope.
  PR: { N: 0.85, L: 0.62, H: 0.27 },
  UI: { N: 0.85, R: 0.62 },
  S: { U: 0, C: 1 },
  C: { H: 0.56, L: 0.22, N: 0 },
  I: { H: 0.56, L: 0.22, N: 0 },
  A: { H: 0.56, L: 0.22, N: 0 },
} as const
const privilegesInChangedScope: Readonly<Record<string, number>> = { N: 0.85, L: 0.68, H: 0.5 }

/**
 * Computes the base score of a vector, with or without the `CVSS:3.x/` prefix. Temporal and
 * environmental metrics are ignored.
 *
 * @returns 0 to 10 with one decimal; null if it is not a complete 3.x vector
 */
export function scoreV3(vector: string): number | null {
  const metrics = parseMetrics(vector.replace(/^CVSS:3\.[01]\//, ''))
  const weights = metrics && lookUpWeights(metrics, baseWeights)
  if (!metrics || !weights) return null
  const isChanged = weights.S === 1
  const privileges = isChanged ? (privilegesInChangedScope[metrics.get('PR') ?? ''] ?? 0) : weights.PR
  const subScore = 1 - (1 - weights.C) * (1 - weights.I) * (1 - weights.A)
  const impact = isChanged ? 7.52 * (subScore - 0.029) - 3.25 * (subScore - 0.02) ** 15 : 6.42 * subScore
  if (impact <= 0) return 0
  const exploitability = 8.22 * weights.AV * weights.AC * privileges * weights.UI
  const sum = isChanged ? 1.08 * (impact + exploitability) : impact + exploitability
  return roundUp(Math.min(sum, 10))
}

/** Roundup (CVSS 3.1, appendix A): rounds up to one decimal without floating-point errors. */
function roundUp(score: number): number {
  const whole = Math.round(score * 100_000)
  return whole % 10_000 === 0 ? whole / 100_000 : (Math.floor(whole / 10_000) + 1) / 10
}
