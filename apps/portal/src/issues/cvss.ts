/**
 * CVSS vectors in words. Scores are the server's; here a vector is only read.
 * Sources: FIRST, CVSS v2 guide section 2, CVSS v3.1 specification section 6, CVSS v4.0 specification section 7.
 */

export interface CvssCell {
  readonly metric: string
  readonly value: string
  /** How much the value helps an attacker, 0 to 3; 3 is the worst that the metric knows. */
  readonly level: 0 | 1 | 2 | 3
}

export interface CvssReading {
  /** "3.1" */
  readonly version: string
  readonly cells: readonly CvssCell[]
}

type Values = Readonly<Record<string, readonly [string, CvssCell['level']]>>
type Metrics = Readonly<Record<string, readonly [string, Values]>>

const impact: Values = { H: ['High', 3], L: ['Low', 2], N: ['None', 0] }
const impactV2: Values = { C: ['Complete', 3], P: ['Partial', 2], N: ['None', 0] }
const reach: Values = { N: ['Network', 3], A: ['Adjacent', 2], L: ['Local', 1], P: ['Physical', 0] }
const effort: Values = { L: ['Low', 3], H: ['High', 1] }
const rights: Values = { N: ['None', 3], L: ['Low', 2], H: ['High', 1] }

const v3: Metrics = {
  AV: ['Attack vector', reach],
  AC: ['Complexity', effort],
  PR: ['Privileges', rights],
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
  AV: ['Attack vector', reach],
  AC: ['Complexity', effort],
  AT: ['Requirements', { N: ['None', 3], P: ['Present', 1] }],
  PR: ['Privileges', rights],
  UI: ['Interaction', { N: ['None', 3], P: ['Passive', 2], A: ['Active', 1] }],
  VC: ['Confidentiality', impact],
  VI: ['Integrity', impact],
  VA: ['Availability', impact],
  SC: ['Beyond: confidentiality', impact],
  SI: ['Beyond: integrity', impact],
  SA: ['Beyond: availability', impact],
}
const metricsByVersion: Readonly<Record<string, Metrics>> = { '2.0': v2, '3.0': v3, '3.1': v3, '4.0': v4 }

/** The base metrics of a vector in their official order; nothing for what is not a whole base vector. */
export function readCvss(vector: string): CvssReading | undefined {
  const [, prefix, body = ''] = /^(?:CVSS:(\d\.\d)\/)?(.+)$/.exec(vector.trim().replace(/^\(|\)$/g, '')) ?? []
  const version = prefix ?? '2.0'
  const metrics = metricsByVersion[version]
  if (!metrics) return undefined
  const given = new Map(body.split('/').map((part) => part.split(':', 2) as [string, string | undefined]))
  const cells: CvssCell[] = []
  for (const [key, [metric, values]] of Object.entries(metrics)) {
    const value = values[given.get(key) ?? '']
    if (!value) return undefined
    cells.push({ metric, value: value[0], level: value[1] })
  }
  return { version, cells }
}
