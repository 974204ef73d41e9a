/** The requests that are measured, and the limits of their p95 in milliseconds. */
import { rowId } from '../../apps/server/src/testing/large-database.ts'

/** Limits for one reader and for many concurrent ones. */
export interface Limit {
  readonly one: number
  readonly many: number
}

export interface Call {
  readonly name: string
  /** Requests of similar cost; the first is the most common one. */
  readonly paths: readonly string[]
  readonly limitMs: Limit
}

/** Maximum number of concurrent readers. */
export const readersMax = 16
const numbers = Array.from({ length: readersMax }, (_, number) => number)

/** The same list with different page sizes. */
function list(path: string): readonly string[] {
  const separator = path.includes('?') ? '&' : '?'
  return numbers.map((number) => (number === 0 ? path : `${path}${separator}pageSize=${50 - number}`))
}

/** The same request for consecutive resources. */
function consecutive(
  kind: Parameters<typeof rowId>[0],
  first: number,
  path: (id: string) => string,
): readonly string[] {
  return numbers.map((number) => path(rowId(kind, first + number)))
}

const year = 'period=PERIOD_YEAR'
const verified = 'filter.verification=VERIFICATION_FILTER_VERIFIED'
const latestScans = 155 * 400

const defaultLimit: Limit = { one: 100, many: 250 }
const graphLimit: Limit = { one: 150, many: 1000 }

const paths: readonly (readonly [string, readonly string[], Limit?])[] = [
  ['list of targets', list('/v1/targets')],
  ['one target', consecutive('target', 7, (id) => `/v1/targets/${id}`)],
  ['list of hosts', list('/v1/hosts')],
  ['hosts of a target', consecutive('target', 7, (id) => `/v1/hosts?filter.targetId=${id}`)],
  ['one host', consecutive('host', 5555, (id) => `/v1/hosts/${id}`)],
  ['list of products', list('/v1/products')],
  ['one product', consecutive('product', 500, (id) => `/v1/products/${id}`)],
  ['list of scans', list('/v1/scans')],
  ['one scan', consecutive('scan', latestScans + 7, (id) => `/v1/scans/${id}`)],
  ['all risks', list('/v1/issues')],
  ['open verified risks', list(`/v1/issues?${verified}&filter.status=STATUS_FILTER_OPEN`)],
  ['risks by priority', list(`/v1/issues?orderBy=ORDER_BY_PRIORITY&${verified}`)],
  ['risks of a target', consecutive('target', 7, (id) => `/v1/issues?filter.affectedTargetId=${id}`)],
  ['risks of a host', consecutive('host', 5555, (id) => `/v1/issues?filter.affectedHostId=${id}`)],
  ['one risk', consecutive('issue', 9000, (id) => `/v1/issues/${id}`)],
  ['search for a word', numbers.map((number) => `/v1/search?query=weakness${number || ''}`)],
  ['search for part of an address', numbers.map((number) => `/v1/search?query=10.${1 + (number % 9)}`)],
  ['software search, two letters', list('/v1/software?query=ro')],
  ['software search, a word', numbers.map((number) => `/v1/software?query=product%20${42 + number}`)],
  ['chart by severity, year, verified', [`/v1/stats/issues-by-severity?${year}&${verified}`]],
  [
    'chart by status, year, of a target',
    consecutive('target', 7, (id) => `/v1/stats/issues-by-status?${year}&filter.affectedTargetId=${id}`),
  ],
  ['chart of affected hosts, year', [`/v1/stats/affected-hosts?${year}`]],
  ['chart of scans, year', [`/v1/stats/scans?${year}`]],
  ['summary, year', [`/v1/stats/summary?${year}`]],
  ['graph of 2,000 nodes', ['/v1/ecosystem'], graphLimit],
]

export const calls: readonly Call[] = paths.map(([name, paths, limitMs = defaultLimit]) => ({ name, paths, limitMs }))
