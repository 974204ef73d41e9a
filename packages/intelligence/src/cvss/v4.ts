/**
 * CVSS 4.0 scores (FIRST, "Common Vulnerability Scoring System v4.0 Specification", section 8).
 *
 * Six equivalence sets put a vector into one of 270 macro vectors, whose score experts have set.
 * From there the score sinks towards the next lower macro vectors, as far as the vector is from
 * the most severe ones of its own.
 */
import { readMetrics } from '#cvss/vector.ts'

/**
 * Scores of the macro vectors (table 25), by the levels of EQ1, EQ2 and EQ3. In each line the level of
 * EQ6 runs fastest, then EQ5, then EQ4; with EQ3 at 2, EQ6 is always 1.
 */
const scores: Readonly<Record<string, readonly number[]>> = {
  '000': [10, 9.9, 9.8, 9.5, 9.5, 9.2, 10, 9.6, 9.3, 8.7, 9.1, 8.1, 9.3, 9, 8.9, 8, 8.1, 6.8],
  '001': [9.8, 9.5, 9.5, 9.2, 9, 8.4, 9.3, 9.2, 8.9, 8.1, 8.1, 6.5, 8.8, 8, 7.8, 7, 6.9, 4.8],
  '002': [9.2, 8.2, 7.2, 7.9, 6.9, 5, 6.9, 5.5, 2.7],
  '010': [9.9, 9.7, 9.5, 9.2, 9.2, 8.5, 9.5, 9.1, 9, 8.3, 8.4, 7.1, 9.2, 8.1, 8.2, 7.1, 7.2, 5.3],
  '011': [9.5, 9.3, 9.2, 8.5, 8.5, 7.3, 9.2, 8.2, 8, 7.2, 7, 5.9, 8.4, 7, 7.1, 5.2, 5, 3],
  '012': [8.6, 7.5, 5.2, 7.1, 5.2, 2.9, 6.3, 2.9, 1.7],
  '100': [9.8, 9.5, 9.4, 8.7, 9.1, 8.1, 9.4, 8.9, 8.6, 7.4, 7.7, 6.4, 8.7, 7.5, 7.4, 6.3, 6.3, 4.9],
  '101': [9.4, 8.9, 8.8, 7.7, 7.6, 6.7, 8.6, 7.6, 7.4, 5.8, 5.9, 5, 7.2, 5.7, 5.7, 5.2, 5.2, 2.5],
  '102': [8.3, 7, 5.4, 6.5, 5.8, 2.6, 5.3, 2.1, 1.3],
  '110': [9.5, 9, 8.8, 7.6, 7.6, 7, 9, 7.7, 7.5, 6.2, 6.1, 5.3, 7.7, 6.6, 6.8, 5.9, 5.2, 3],
  '111': [8.9, 7.8, 7.6, 6.7, 6.2, 5.8, 7.4, 5.9, 5.7, 5.7, 4.7, 2.3, 6.1, 5.2, 5.7, 2.9, 2.4, 1.6],
  '112': [7.1, 5.9, 3, 5.8, 2.6, 1.5, 2.3, 1.3, 0.6],
  '200': [9.3, 8.7, 8.6, 7.2, 7.5, 5.8, 8.6, 7.4, 7.4, 6.1, 5.6, 3.4, 7, 5.4, 5.2, 4, 4, 2.2],
  '201': [8.5, 7.5, 7.4, 5.5, 6.2, 5.1, 7.2, 5.7, 5.5, 4.1, 4.6, 1.9, 5.3, 3.6, 3.4, 1.9, 1.9, 0.8],
  '202': [6.4, 5.1, 2, 4.7, 2.1, 1.1, 2.4, 0.9, 0.4],
  '210': [8.8, 7.5, 7.3, 5.3, 6, 5, 7.3, 5.5, 5.9, 4, 4.1, 2, 5.4, 4.3, 4.5, 2.2, 2, 1.1],
  '211': [7.5, 5.5, 5.8, 4.5, 4, 2.1, 6.1, 5.1, 4.8, 1.8, 2, 0.9, 4.6, 1.8, 1.7, 0.7, 0.8, 0.2],
  '212': [5.3, 2.4, 1.4, 2.4, 1.2, 0.5, 1, 0.3, 0.1],
}

/** Values of each metric from the most severe down; a place in the row is a step of severity. */
const ladders: Readonly<Record<string, string>> = {
  AV: 'NALP',
  PR: 'NLH',
  UI: 'NPA',
  AC: 'LH',
  AT: 'NP',
  VC: 'HLN',
  VI: 'HLN',
  VA: 'HLN',
  SC: 'SHLN',
  SI: 'SHLN',
  SA: 'SHLN',
  CR: 'HML',
  IR: 'HML',
  AR: 'HML',
}

/** The most severe vectors of a level (tables 24 and 26) and how many steps the level is deep. */
interface Level {
  readonly tops: readonly string[]
  readonly depth: number
}
const eq1: readonly Level[] = [
  { tops: ['AV:N/PR:N/UI:N'], depth: 1 },
  { tops: ['AV:A/PR:N/UI:N', 'AV:N/PR:L/UI:N', 'AV:N/PR:N/UI:P'], depth: 4 },
  { tops: ['AV:P/PR:N/UI:N', 'AV:A/PR:L/UI:P'], depth: 5 },
]
const eq2: readonly Level[] = [
  { tops: ['AC:L/AT:N'], depth: 1 },
  { tops: ['AC:H/AT:N', 'AC:L/AT:P'], depth: 2 },
]
/** EQ3 and EQ6 depend on one another; by the digits of both. */
const eq36: Readonly<Record<string, Level>> = {
  '00': { tops: ['VC:H/VI:H/VA:H/CR:H/IR:H/AR:H'], depth: 7 },
  '01': { tops: ['VC:H/VI:H/VA:L/CR:M/IR:M/AR:H', 'VC:H/VI:H/VA:H/CR:M/IR:M/AR:M'], depth: 6 },
  '10': { tops: ['VC:L/VI:H/VA:H/CR:H/IR:H/AR:H', 'VC:H/VI:L/VA:H/CR:H/IR:H/AR:H'], depth: 8 },
  '11': {
    tops: [
      'VC:L/VI:H/VA:L/CR:H/IR:M/AR:H',
      'VC:L/VI:H/VA:H/CR:H/IR:M/AR:M',
      'VC:H/VI:L/VA:H/CR:M/IR:H/AR:M',
      'VC:H/VI:L/VA:L/CR:M/IR:H/AR:H',
      'VC:L/VI:L/VA:H/CR:H/IR:H/AR:M',
    ],
    depth: 8,
  },
  '21': { tops: ['VC:L/VI:L/VA:L/CR:H/IR:H/AR:H'], depth: 10 },
}
const eq4: readonly Level[] = [
  { tops: ['SC:H/SI:S/SA:S'], depth: 6 },
  { tops: ['SC:H/SI:H/SA:H'], depth: 5 },
  { tops: ['SC:L/SI:L/SA:L'], depth: 4 },
]

type Value = (metric: string) => string

/**
 * Computes the score of a vector from all metrics that it states: base, threat and environment.
 *
 * @returns 0 to 10 with one decimal; null when it is not a complete 4.0 vector
 */
export function scoreV4(vector: string): number | null {
  const metrics = vector.startsWith('CVSS:4.0/') ? readMetrics(vector.slice('CVSS:4.0/'.length)) : null
  if (!metrics) return null
  const of: Value = (metric) => effective(metrics, metric)
  if (Object.entries(ladders).some(([metric, ladder]) => !ladder.split('').includes(of(metric)))) return null
  if (['VC', 'VI', 'VA', 'SC', 'SI', 'SA'].every((metric) => of(metric) === 'N')) return 0
  const place = placeOf(of)
  const score = scoreAt(place)
  if (score === null) return null
  const { a, b, d, e } = place
  const falls = [
    fall(score, { ...place, a: a + 1 }, eq1[a], of),
    fall(score, { ...place, b: b + 1 }, eq2[b], of),
    fallOfImpact(score, place, of),
    fall(score, { ...place, d: d + 1 }, eq4[d], of),
    // All vectors of a level of EQ5 are equally severe.
    scoreAt({ ...place, e: e + 1 }) === null ? null : 0,
  ].filter((one) => one !== null)
  const mean = falls.reduce((sum, one) => sum + one, 0) / Math.max(1, falls.length)
  return Math.round((Math.min(10, Math.max(0, score - mean)) + 1e-6) * 10) / 10
}

/** A modified metric takes the place of its base metric; what is not defined is the worst. */
function effective(metrics: ReadonlyMap<string, string>, metric: string): string {
  const modified = metrics.get(`M${metric}`)
  if (modified !== undefined && modified !== 'X') return modified
  const value = metrics.get(metric) ?? (/^(?:E|CR|IR|AR)$/.test(metric) ? 'X' : '')
  if (value !== 'X') return value
  return metric === 'E' ? 'A' : 'H'
}

/** Levels of EQ1 to EQ6. */
interface Place {
  readonly a: number
  readonly b: number
  readonly c: number
  readonly d: number
  readonly e: number
  readonly f: number
}

function placeOf(of: Value): Place {
  const [av, pr, ui] = [of('AV') === 'N', of('PR') === 'N', of('UI') === 'N']
  const [vc, vi, va] = [of('VC') === 'H', of('VI') === 'H', of('VA') === 'H']
  const isWorstNeed = (vc && of('CR') === 'H') || (vi && of('IR') === 'H') || (va && of('AR') === 'H')
  const isSafety = of('SI') === 'S' || of('SA') === 'S'
  const isHighAfter = ['SC', 'SI', 'SA'].some((metric) => of(metric) === 'H')
  return {
    a: av && pr && ui ? 0 : (av || pr || ui) && of('AV') !== 'P' ? 1 : 2,
    b: of('AC') === 'L' && of('AT') === 'N' ? 0 : 1,
    c: vc && vi ? 0 : vc || vi || va ? 1 : 2,
    d: isSafety ? 0 : isHighAfter ? 1 : 2,
    e: Math.max(0, 'APU'.indexOf(of('E'))),
    f: isWorstNeed ? 0 : 1,
  }
}

function scoreAt({ a, b, c, d, e, f }: Place): number | null {
  if (d > 2 || e > 2 || f > 1 || (c === 2 && f === 0)) return null
  const index = c === 2 ? d * 3 + e : d * 6 + e * 2 + f
  return scores[`${a}${b}${c}`]?.[index] ?? null
}

/** How far the score sinks towards the next lower macro vector; null where there is none. */
function fall(score: number, lower: Place, level: Level | undefined, of: Value): number | null {
  const end = scoreAt(lower)
  if (end === null || !level) return null
  return ((score - end) * stepsBelow(level, of)) / level.depth
}

/** EQ3 and EQ6 sink together: where both may, towards the higher of the two. */
function fallOfImpact(score: number, place: Place, of: Value): number | null {
  const { c, f } = place
  const ways = f === 1 ? [{ ...place, c: c + 1 }] : [{ ...place, f: 1 }, ...(c === 0 ? [{ ...place, c: 1 }] : [])]
  const falls = ways.map((lower) => fall(score, lower, eq36[`${c}${f}`], of)).filter((one) => one !== null)
  return falls.length === 0 ? null : Math.min(...falls)
}

/** Steps from the first of the level's most severe vectors that is nowhere less severe. */
function stepsBelow({ tops }: Level, of: Value): number {
  for (const top of tops) {
    const steps = top.split('/').map((part) => {
      const [metric = '', value = ''] = part.split(':')
      const ladder = ladders[metric] ?? ''
      return ladder.indexOf(of(metric)) - ladder.indexOf(value)
    })
    if (steps.every((step) => step >= 0)) return steps.reduce((sum, step) => sum + step, 0)
  }
  return 0
}
