/**
 * CVSS 4.0 scores (FIRST, "Common Vulnerability Scoring System v4.0 Specification", section 8).
 *
 * Six equivalence sets (EQ1 to EQ6) assign a vector to one of 270 macro vectors with a fixed score.
 * The score is then reduced toward the next lower macro vectors, in proportion to the severity
 * distance between the vector and the highest-severity vectors of its macro vector.
 */
import { parseMetrics } from '#cvss/vector.ts'

/**
 * Scores of the macro vectors (table 25), keyed by the levels of EQ1, EQ2, and EQ3. Within a row, EQ6
 * varies fastest, then EQ5, then EQ4. If EQ3 is 2, EQ6 is always 1.
 */
const macroVectorScores: Readonly<Record<string, readonly number[]>> = {
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

/** Values of each metric, from most to least severe; each position is one severity step. */
const severityOrder: Readonly<Record<string, string>> = {
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

/** The highest-severity vectors of a level (tables 24 and 26) and the level's depth in severity steps. */
interface Level {
  readonly highestVectors: readonly string[]
  readonly depth: number
}
const eq1Levels: readonly Level[] = [
  { highestVectors: ['AV:N/PR:N/UI:N'], depth: 1 },
  { highestVectors: ['AV:A/PR:N/UI:N', 'AV:N/PR:L/UI:N', 'AV:N/PR:N/UI:P'], depth: 4 },
  { highestVectors: ['AV:P/PR:N/UI:N', 'AV:A/PR:L/UI:P'], depth: 5 },
]
const eq2Levels: readonly Level[] = [
  { highestVectors: ['AC:L/AT:N'], depth: 1 },
  { highestVectors: ['AC:H/AT:N', 'AC:L/AT:P'], depth: 2 },
]
/** EQ3 and EQ6 are not independent; keyed by the levels of both. */
const eq3Eq6Levels: Readonly<Record<string, Level>> = {
  '00': { highestVectors: ['VC:H/VI:H/VA:H/CR:H/IR:H/AR:H'], depth: 7 },
  '01': { highestVectors: ['VC:H/VI:H/VA:L/CR:M/IR:M/AR:H', 'VC:H/VI:H/VA:H/CR:M/IR:M/AR:M'], depth: 6 },
  '10': { highestVectors: ['VC:L/VI:H/VA:H/CR:H/IR:H/AR:H', 'VC:H/VI:L/VA:H/CR:H/IR:H/AR:H'], depth: 8 },
  '11': {
    highestVectors: [
      'VC:L/VI:H/VA:L/CR:H/IR:M/AR:H',
      'VC:L/VI:H/VA:H/CR:H/IR:M/AR:M',
      'VC:H/VI:L/VA:H/CR:M/IR:H/AR:M',
      'VC:H/VI:L/VA:L/CR:M/IR:H/AR:H',
      'VC:L/VI:L/VA:H/CR:H/IR:H/AR:M',
    ],
    depth: 8,
  },
  '21': { highestVectors: ['VC:L/VI:L/VA:L/CR:H/IR:H/AR:H'], depth: 10 },
}
const eq4Levels: readonly Level[] = [
  { highestVectors: ['SC:H/SI:S/SA:S'], depth: 6 },
  { highestVectors: ['SC:H/SI:H/SA:H'], depth: 5 },
  { highestVectors: ['SC:L/SI:L/SA:L'], depth: 4 },
]

/** Returns the effective value of a metric. */
type MetricReader = (metric: string) => string

/**
 * Computes the score of a vector from its base, threat, and environmental metrics.
 *
 * @returns 0 to 10 with one decimal; null if it is not a complete 4.0 vector
 */
export function scoreV4(vector: string): number | null {
  const metrics = vector.startsWith('CVSS:4.0/') ? parseMetrics(vector.slice('CVSS:4.0/'.length)) : null
  if (!metrics) return null
  const of: MetricReader = (metric) => effectiveValue(metrics, metric)
  if (Object.entries(severityOrder).some(([metric, values]) => !values.split('').includes(of(metric)))) return null
  if (['VC', 'VI', 'VA', 'SC', 'SI', 'SA'].every((metric) => of(metric) === 'N')) return 0
  const macroVector = macroVectorOf(of)
  const score = macroVectorScore(macroVector)
  if (score === null) return null
  const { eq1, eq2, eq4, eq5 } = macroVector
  const distances = [
    proportionalDistance(score, { ...macroVector, eq1: eq1 + 1 }, eq1Levels[eq1], of),
    proportionalDistance(score, { ...macroVector, eq2: eq2 + 1 }, eq2Levels[eq2], of),
    impactDistance(score, macroVector, of),
    proportionalDistance(score, { ...macroVector, eq4: eq4 + 1 }, eq4Levels[eq4], of),
    // Within a level of EQ5, all vectors have the same severity.
    macroVectorScore({ ...macroVector, eq5: eq5 + 1 }) === null ? null : 0,
  ].filter((distance) => distance !== null)
  const mean = distances.reduce((sum, distance) => sum + distance, 0) / Math.max(1, distances.length)
  return Math.round((Math.min(10, Math.max(0, score - mean)) + 1e-6) * 10) / 10
}

/** A modified metric overrides its base metric; a metric that is not defined has the most severe value. */
function effectiveValue(metrics: ReadonlyMap<string, string>, metric: string): string {
  const modified = metrics.get(`M${metric}`)
  if (modified !== undefined && modified !== 'X') return modified
  const value = metrics.get(metric) ?? (/^(?:E|CR|IR|AR)$/.test(metric) ? 'X' : '')
  if (value !== 'X') return value
  return metric === 'E' ? 'A' : 'H'
}

/** The levels of EQ1 to EQ6. */
interface MacroVector {
  readonly eq1: number
  readonly eq2: number
  readonly eq3: number
  readonly eq4: number
  readonly eq5: number
  readonly eq6: number
}

function macroVectorOf(of: MetricReader): MacroVector {
  const [isNetwork, noPrivileges, noInteraction] = [of('AV') === 'N', of('PR') === 'N', of('UI') === 'N']
  const [isHighC, isHighI, isHighA] = [of('VC') === 'H', of('VI') === 'H', of('VA') === 'H']
  const hasHighRequirement =
    (isHighC && of('CR') === 'H') || (isHighI && of('IR') === 'H') || (isHighA && of('AR') === 'H')
  const affectsSafety = of('SI') === 'S' || of('SA') === 'S'
  const hasHighSubsequentImpact = ['SC', 'SI', 'SA'].some((metric) => of(metric) === 'H')
  return {
    eq1:
      isNetwork && noPrivileges && noInteraction
        ? 0
        : (isNetwork || noPrivileges || noInteraction) && of('AV') !== 'P'
          ? 1
          : 2,
    eq2: of('AC') === 'L' && of('AT') === 'N' ? 0 : 1,
    eq3: isHighC && isHighI ? 0 : isHighC || isHighI || isHighA ? 1 : 2,
    eq4: affectsSafety ? 0 : hasHighSubsequentImpact ? 1 : 2,
    eq5: Math.max(0, 'APU'.indexOf(of('E'))),
    eq6: hasHighRequirement ? 0 : 1,
  }
}

function macroVectorScore({ eq1, eq2, eq3, eq4, eq5, eq6 }: MacroVector): number | null {
  if (eq4 > 2 || eq5 > 2 || eq6 > 1 || (eq3 === 2 && eq6 === 0)) return null
  const index = eq3 === 2 ? eq4 * 3 + eq5 : eq4 * 6 + eq5 * 2 + eq6
  return macroVectorScores[`${eq1}${eq2}${eq3}`]?.[index] ?? null
}

/** The reduction toward the next lower macro vector; null if there is none. */
function proportionalDistance(
  score: number,
  lower: MacroVector,
  level: Level | undefined,
  of: MetricReader,
): number | null {
  const lowerScore = macroVectorScore(lower)
  if (lowerScore === null || !level) return null
  return ((score - lowerScore) * severityDistance(level, of)) / level.depth
}

/** EQ3 and EQ6 are lowered together. If both can be lowered separately, the higher score counts. */
function impactDistance(score: number, macroVector: MacroVector, of: MetricReader): number | null {
  const { eq3, eq6 } = macroVector
  const lowerVectors: MacroVector[] =
    eq6 === 1
      ? [{ ...macroVector, eq3: eq3 + 1 }]
      : [{ ...macroVector, eq6: 1 }, ...(eq3 === 0 ? [{ ...macroVector, eq3: 1 }] : [])]
  const distances = lowerVectors
    .map((lower) => proportionalDistance(score, lower, eq3Eq6Levels[`${eq3}${eq6}`], of))
    .filter((distance) => distance !== null)
  return distances.length === 0 ? null : Math.min(...distances)
}

/**
 * The severity distance from the first of the level's highest-severity vectors that is at least as
 * severe in every metric.
 */
function severityDistance({ highestVectors }: Level, of: MetricReader): number {
  for (const highest of highestVectors) {
    const steps = highest.split('/').map((part) => {
      const [metric = '', value = ''] = part.split(':')
      const values = severityOrder[metric] ?? ''
      return values.indexOf(of(metric)) - values.indexOf(value)
    })
    if (steps.every((step) => step >= 0)) return steps.reduce((sum, step) => sum + step, 0)
  }
  return 0
}
