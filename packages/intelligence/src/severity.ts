/** Severity: scores, ratings, and descriptions of CVSS vectors. */
import type { Severity, SeverityCategory } from '@glacis/contract/threat'
import { scoreV2 } from '#cvss/v2.ts'
import { scoreV3 } from '#cvss/v3.ts'
import { scoreV4 } from '#cvss/v4.ts'

/** The qualitative rating of a score (CVSS 3.1, section 5), used for 2.0 scores too. */
export function categoryOf(score: number): SeverityCategory {
  if (score <= 0) return 'CATEGORY_NONE'
  if (score < 4) return 'CATEGORY_LOW'
  if (score < 7) return 'CATEGORY_MEDIUM'
  return score < 9 ? 'CATEGORY_HIGH' : 'CATEGORY_CRITICAL'
}

/**
 * Computes the base score of a CVSS 2.0, 3.0, or 3.1 vector, or the score of a 4.0 vector from all its
 * metrics.
 *
 * @returns null if the vector is incomplete or of another version
 */
export function scoreOf(vector: string): number | null {
  if (vector.startsWith('CVSS:3.')) return scoreV3(vector)
  if (vector.startsWith('CVSS:4.')) return scoreV4(vector)
  return vector.startsWith('CVSS:') ? null : scoreV2(vector)
}

/**
 * The severity of a vector. The score stated by the source takes precedence over the computed one:
 * for CVSS 4.0, feeds state the base score even if the vector includes threat metrics.
 */
export function severityOf(vector: string, stated?: number): Severity {
  const score = stated ?? scoreOf(vector)
  if (score === null) return { cvss: vector, score: 0, category: 'CATEGORY_UNSPECIFIED' }
  return { cvss: vector, score, category: categoryOf(score) }
}

const attackVectorText: Readonly<Record<string, string>> = {
  N: 'over the network',
  A: 'from an adjacent network',
  L: 'with local access',
  P: 'with physical access',
}
const privilegesText: Readonly<Record<string, string>> = {
  N: 'without authentication',
  L: 'with low privileges',
  H: 'with high privileges',
}
const impactText: Readonly<Record<string, string>> = { H: 'high', L: 'low' }

/** Hundreds of thousands of records share a few thousand vectors. */
const descriptionCache = new Map<string, string>()
const descriptionCacheMax = 10_000

/** Describes exploitability and impact of a CVSS 3 vector in a few sentences; empty for other vectors. Cached. */
export function describeVector(vector: string): string {
  const cached = descriptionCache.get(vector)
  if (cached !== undefined) return cached
  if (descriptionCache.size >= descriptionCacheMax) descriptionCache.clear()
  const text = formatVector(vector)
  descriptionCache.set(vector, text)
  return text
}

function formatVector(vector: string): string {
  if (!vector.startsWith('CVSS:3.') || scoreV3(vector) === null) return ''
  const metrics = new Map(vector.split('/').map((part) => [part.split(':')[0] ?? '', part.split(':')[1] ?? '']))
  const metric = (name: string) => metrics.get(name) ?? ''
  const interaction = metric('UI') === 'R' ? ', with user interaction' : ''
  const complexity = metric('AC') === 'H' ? " Depends on conditions beyond the attacker's control." : ''
  const impacts = [
    ['C', 'confidentiality'],
    ['I', 'integrity'],
    ['A', 'availability'],
  ].flatMap(([name = '', label = '']) => (impactText[metric(name)] ? [`${label} ${impactText[metric(name)]}`] : []))
  const impact = impacts.length === 0 ? '' : ` Impact: ${impacts.join(', ')}.`
  return `Exploitable ${attackVectorText[metric('AV')]}, ${privilegesText[metric('PR')]}${interaction}.${complexity}${impact}`
}
