/**
 * CVSS vectors as readable metrics. Scores come from the server.
 * Sources: FIRST, CVSS v2 guide section 2, CVSS v3.1 specification section 6, CVSS v4.0 specification section 7.
 */

export interface CvssMetric {
  readonly metric: string
  readonly value: string
  /** How much the value helps an attacker, from 0 to 3 (worst). */
  readonly level: 0 | 1 | 2 | 3
}

export interface ParsedCvss {
  /** "3.1" */
  readonly version: string
  readonly cells: readonly CvssMetric[]
}

type Values = Readonly<Record<string, readonly [string, CvssMetric['level']]>>
type Metrics = Readonly<Record<string, readonly [string, Values]>>

const impact: Values = { H: ['High', 3], L: ['Low', 2], N: ['None', 0] }
const impactV2: Values = { C: ['Complete', 3], P: ['Partial', 2], N: ['None', 0] }
const attackVector: Values = { N: ['Network', 3], A: ['Adjacent', 2], L: ['Local', 1], P: ['Physical', 0] }
const complexity: Values = { L: ['Low', 3], H: ['High', 1] }
const privileges: Values = { N: ['None', 3], L: ['Low', 2], H: ['High', 1] }

const v3: Metrics = {
  AV: ['Attack vector', attackVector],
  AC: ['Complexity', complexity],
  PR: ['Privileges', privileges],
  UI: ['Interaction', { N: ['None', 3], R: ['Required', 1] }],
  S: ['Scope', { C: ['Changed', 3], U: ['Unchanged', 1] }],
  C: ['Confidentiality', impact],
  I: ['Integrity', impact],
  A: ['Availability', impact],
}
const v2: Metrics = {
  AV: ['Access vector', { N: ['Network', 3], A: ['Adjacent', 2], L: ['Local', 1] }],
  AC: ['Complexity', { L: ['Low', 3], M: ['Medium', 2], H: ['High', 1] }],
  Au: ['Authentication', { N: ['None', 3], S: ['Single', 2], M: ['Multiple', 1] }],
  C: ['Confidentiality', impactV2],
  I: ['Integrity', impactV2],
  A: ['Availability', impactV2],
}
const v4: Metrics = {
  AV: ['Attack vector', attackVector],
  AC: ['Complexity', complexity],
  AT: ['Requirements', { N: ['None', 3], P: ['Present', 1] }],
  PR: ['Privileges', privileges],
  UI: ['Interaction', { N: ['None', 3], P: ['Passive', 2], A: ['Active', 1] }],
  VC: ['Confidentiality', impact],
  VI: ['Integrity', impact],
  VA: ['Availability', impact],
  SC: ['Confidentiality (subsequent)', impact],
  SI: ['Integrity (subsequent)', impact],
  SA: ['Availability (subsequent)', impact],
}
const metricsByVersion: Readonly<Record<string, Metrics>> = { '2.0': v2, '3.0': v3, '3.1': v3, '4.0': v4 }

/** The base metrics of a vector in their official order; undefined if a base metric is missing or invalid. */
export function parseCvssVector(vector: string): ParsedCvss | undefined {
  const [, prefix, body = ''] = /^(?:CVSS:(\d\.\d)\/)?(.+)$/.exec(vector.trim().replace(/^\(|\)$/g, '')) ?? []
  const version = prefix ?? '2.0'
  const metrics = metricsByVersion[version]
  if (!metrics) return undefined
  const given = new Map(body.split('/').map((part) => part.split(':', 2) as [string, string | undefined]))
  const cells: CvssMetric[] = []
  for (const [key, [metric, values]] of Object.entries(metrics)) {
    const value = values[given.get(key) ?? '']
    if (!value) return undefined
    cells.push({ metric, value: value[0], level: value[1] })
  }
  return { version, cells }
}
