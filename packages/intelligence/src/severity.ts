/** Severity: the number of a CVSS vector and the word for it. */
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
 * Computes the score of a CVSS 2.0, 3.0, 3.1 or 4.0 vector: its base score, and for 4.0 that of all
 * the metrics it states.
 *
 * @returns null for what is no complete vector of one of these
 */
export function scoreOf(vector: string): number | null {
  if (vector.startsWith('CVSS:3.')) return scoreV3(vector)
  if (vector.startsWith('CVSS:4.')) return scoreV4(vector)
  return vector.startsWith('CVSS:') ? null : scoreV2(vector)
}

/**
 * The severity of a vector. The score that its source stated goes before the computed one: feeds
 * state the base score of 4.0 also where the vector says that an exploit is only a proof of concept.
 */
export function severityOf(vector: string, stated?: number): Severity {
  const score = stated ?? scoreOf(vector)
  if (score === null) return { cvss: vector, score: 0, category: 'CATEGORY_UNSPECIFIED' }
  return { cvss: vector, score, category: categoryOf(score) }
}

const reach: Readonly<Record<string, string>> = {
  N: 'over the network',
  A: 'from the same network segment',
  L: 'by someone with local access',
  P: 'by someone with physical access',
}
const needs: Readonly<Record<string, string>> = {
  N: 'without an account',
  L: 'with an ordinary account',
  H: 'with an administrative account',
}
const degree: Readonly<Record<string, string>> = { H: 'fully', L: 'in part' }

/** A hundred thousand records share some thousand vectors. */
const described = new Map<string, string>()
const describedMax = 10_000

/** Says in a sentence or two what a CVSS 3 vector states about reach and damage; empty for other vectors. */
export function describeVector(vector: string): string {
  const known = described.get(vector)
  if (known !== undefined) return known
  if (described.size >= describedMax) described.clear()
  const words = inWords(vector)
  described.set(vector, words)
  return words
}

function inWords(vector: string): string {
  if (!vector.startsWith('CVSS:3.') || scoreV3(vector) === null) return ''
  const metrics = new Map(vector.split('/').map((part) => [part.split(':')[0] ?? '', part.split(':')[1] ?? '']))
  const of = (name: string) => metrics.get(name) ?? ''
  const help = of('UI') === 'R' ? ', if a user can be led to take part' : ''
  const hurdle = of('AC') === 'H' ? ' The attack depends on conditions that the attacker does not control.' : ''
  const damages = [
    ['C', 'confidentiality'],
    ['I', 'integrity'],
    ['A', 'availability'],
  ].flatMap(([name = '', word = '']) => (degree[of(name)] ? [`${word} ${degree[of(name)]}`] : []))
  const damage = damages.length === 0 ? '' : ` At stake: ${damages.join(', ')}.`
  return `Can be exploited ${reach[of('AV')]}, ${needs[of('PR')]}${help}.${hurdle}${damage}`
}
