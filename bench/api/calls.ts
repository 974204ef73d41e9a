/** What is read, and how long 95 of a hundred answers may take, in milliseconds. */
import { rowId } from '../../apps/server/src/testing/large.ts'

export interface Call {
  readonly name: string
  readonly path: string
  readonly limitMs: number
}

const year = 'period=PERIOD_YEAR'
const verified = 'filter.verification=VERIFICATION_FILTER_VERIFIED'
const [target, host, product, issue, scan] = [
  rowId('target', 7),
  rowId('host', 5555),
  rowId('product', 500),
  rowId('issue', 9000),
  rowId('scan', 155 * 400 + 7),
]

const limits: Readonly<Record<number, readonly (readonly [string, string])[]>> = {
  50: [
    ['list of targets', '/v1/targets'],
    ['one target', `/v1/targets/${target}`],
    ['list of hosts', '/v1/hosts'],
    ['hosts of a target', `/v1/hosts?filter.targetId=${target}`],
    ['one host', `/v1/hosts/${host}`],
    ['list of products', '/v1/products'],
    ['one product', `/v1/products/${product}`],
    ['list of scans', '/v1/scans'],
    ['one scan', `/v1/scans/${scan}`],
    ['all risks', '/v1/issues'],
    ['open verified risks', `/v1/issues?${verified}&filter.status=STATUS_FILTER_OPEN`],
    ['risks by priority', `/v1/issues?orderBy=ORDER_BY_PRIORITY&${verified}`],
    ['risks of a target', `/v1/issues?filter.affectedTargetId=${target}`],
    ['risks of a host', `/v1/issues?filter.affectedHostId=${host}`],
    ['one risk', `/v1/issues/${issue}`],
    ['search for a word', '/v1/search?query=weakness'],
    ['search for a part of an address', '/v1/search?query=10.1'],
    ['software, two letters', '/v1/software?query=ro'],
    ['software, a word', '/v1/software?query=product%2042'],
  ],
  60: [
    ['by severity, year, verified', `/v1/stats/issues-by-severity?${year}&${verified}`],
    ['by status, year, of a target', `/v1/stats/issues-by-status?${year}&filter.affectedTargetId=${target}`],
    ['affected hosts, year', `/v1/stats/affected-hosts?${year}`],
    ['scans, year', `/v1/stats/scans?${year}`],
    ['summary, year', `/v1/stats/summary?${year}`],
  ],
  150: [['graph of 2,000 nodes', '/v1/ecosystem']],
}

export const calls: readonly Call[] = Object.entries(limits).flatMap(([limitMs, list]) =>
  list.map(([name, path]) => ({ name, path, limitMs: Number(limitMs) })),
)
