/** What is read, and how long 95 of a hundred answers may take, in milliseconds. */
import { rowId } from '../../apps/server/src/testing/large.ts'

/** For one reader, and for as many as ask at once. */
export interface Limit {
  readonly one: number
  readonly many: number
}

export interface Call {
  readonly name: string
  /** Questions that cost about the same; the first is the usual one. */
  readonly paths: readonly string[]
  readonly limitMs: Limit
}

/** As many as ask at once anywhere in the bench. */
export const readersMax = 16
const numbers = Array.from({ length: readersMax }, (_, number) => number)

/** The same list in pages of another size. */
function list(path: string): readonly string[] {
  const sign = path.includes('?') ? '&' : '?'
  return numbers.map((number) => (number === 0 ? path : `${path}${sign}pageSize=${50 - number}`))
}

/** The same of one thing and of those made after it. */
function each(kind: Parameters<typeof rowId>[0], first: number, path: (id: string) => string): readonly string[] {
  return numbers.map((number) => path(rowId(kind, first + number)))
}

const year = 'period=PERIOD_YEAR'
const verified = 'filter.verification=VERIFICATION_FILTER_VERIFIED'
const lastScans = 155 * 400

const usualLimit: Limit = { one: 100, many: 250 }
const graphLimit: Limit = { one: 150, many: 1000 }

const paths: readonly (readonly [string, readonly string[], Limit?])[] = [
  ['list of targets', list('/v1/targets')],
  ['one target', each('target', 7, (id) => `/v1/targets/${id}`)],
  ['list of hosts', list('/v1/hosts')],
  ['hosts of a target', each('target', 7, (id) => `/v1/hosts?filter.targetId=${id}`)],
  ['one host', each('host', 5555, (id) => `/v1/hosts/${id}`)],
  ['list of products', list('/v1/products')],
  ['one product', each('product', 500, (id) => `/v1/products/${id}`)],
  ['list of scans', list('/v1/scans')],
  ['one scan', each('scan', lastScans + 7, (id) => `/v1/scans/${id}`)],
  ['all risks', list('/v1/issues')],
  ['open verified risks', list(`/v1/issues?${verified}&filter.status=STATUS_FILTER_OPEN`)],
  ['risks by priority', list(`/v1/issues?orderBy=ORDER_BY_PRIORITY&${verified}`)],
  ['risks of a target', each('target', 7, (id) => `/v1/issues?filter.affectedTargetId=${id}`)],
  ['risks of a host', each('host', 5555, (id) => `/v1/issues?filter.affectedHostId=${id}`)],
  ['one risk', each('issue', 9000, (id) => `/v1/issues/${id}`)],
  ['search for a word', numbers.map((number) => `/v1/search?query=weakness${number || ''}`)],
  ['search for a part of an address', numbers.map((number) => `/v1/search?query=10.${1 + (number % 9)}`)],
  ['software, two letters', list('/v1/software?query=ro')],
  ['software, a word', numbers.map((number) => `/v1/software?query=product%20${42 + number}`)],
  ['by severity, year, verified', [`/v1/stats/issues-by-severity?${year}&${verified}`]],
  [
    'by status, year, of a target',
    each('target', 7, (id) => `/v1/stats/issues-by-status?${year}&filter.affectedTargetId=${id}`),
  ],
  ['affected hosts, year', [`/v1/stats/affected-hosts?${year}`]],
  ['scans, year', [`/v1/stats/scans?${year}`]],
  ['summary, year', [`/v1/stats/summary?${year}`]],
  ['graph of 2,000 nodes', ['/v1/ecosystem'], graphLimit],
]

export const calls: readonly Call[] = paths.map(([name, paths, limitMs = usualLimit]) => ({ name, paths, limitMs }))
