/** What the portal asks of scans. Whatever runs is asked for again until it has ended. */
import type { InputOf, ResultOf } from '@glacis/contract/endpoint'
import {
  affectedHostsOverTime,
  issuesBySeverity,
  issuesByStatus,
  scansOverTime,
  statsSummary,
} from '@glacis/contract/insights'
import { getIssue, listIssues } from '@glacis/contract/issue'
import { toQueryString } from '@glacis/contract/query-string'
import { getHost, listHosts } from '@glacis/contract/host'
import { getProduct, listProducts } from '@glacis/contract/product'
import {
  cancelScan,
  diffScan,
  getScan,
  listScanEvents,
  listScanHosts,
  listScans,
  resumeScan,
  type Scan,
  type ScanStatus,
  startScan,
  startScans,
  type ReportFormat,
} from '@glacis/contract/scan'
import { getTarget, listTargets } from '@glacis/contract/target'
import { keepPreviousData, mutationOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { apiAddress, call } from '#api/call.ts'
import { keyOf, pollMs, query, refresh } from '#api/query.ts'
import { addToast } from '#lib/toasts.ts'
import { formatNumber } from '#lib/format.ts'
import { scansInput } from '#scans/search.ts'

/** Statuses of a scan that has not ended. */
const activeStatuses = ['STATUS_CREATED', 'STATUS_RUNNING'] as const satisfies readonly ScanStatus[]

export function isActive({ status }: Pick<Scan, 'status'>): boolean {
  return status === 'STATUS_CREATED' || status === 'STATUS_RUNNING'
}

/** One page of scans, asked for again every 5 s while one of them runs and the tab is visible. */
export function list(input: InputOf<typeof listScans>) {
  const queryKey = keyOf(listScans, input)
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<ScanPage>(queryKey)
      const answer = await call(listScans, input, { signal })
      if (before && hasEnded(before.scans, answer.scans)) void refresh(client, touchedByResults)
      return answer
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.scans.some(isActive) ? pollMs : false),
    retry: false,
  })
}

/** What the page of the list begins with. */
export function first() {
  return list(scansInput({}))
}

/** The newest scan that has ended, among those that the overview shows; undefined where none has. */
export function lastEnded() {
  return { ...list({ pageSize: 25 }), select: ({ scans }: ScanPage) => scans.find((scan) => !isActive(scan)) }
}

type ScanPage = ResultOf<typeof listScans>

/** True when one that was under way is no longer: its results are in, and every figure may have moved. */
export function hasEnded(before: readonly Scan[], after: readonly Scan[]): boolean {
  const active = new Set(after.filter(isActive).map(({ id }) => id))
  return before.some((scan) => isActive(scan) && !active.has(scan.id))
}

/** Keys of everything that the end of a scan makes stale, but for scans themselves. */
const figures = [statsSummary, issuesBySeverity, issuesByStatus, scansOverTime, affectedHostsOverTime]
const lists = [listIssues, getIssue, listHosts, getHost, listProducts, getProduct, listTargets, getTarget]
const touchedByResults = [...figures, ...lists].map((endpoint) => [endpoint.path])

/** The scans that have not ended, of one target or of all. */
export function active(targetId?: string) {
  const filter = { status: [...activeStatuses], ...(targetId && { targetId }) }
  return list({ pageSize: 100, filter })
}

/** One scan, asked for again every 5 s while it runs. */
export function one(id: string) {
  const queryKey = keyOf(getScan, { id })
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<ResultOf<typeof getScan>>(queryKey)
      const answer = await call(getScan, { id }, { signal })
      if (before && hasEnded([before.scan], [answer.scan])) void refresh(client, touchedByResults)
      return answer
    },
    refetchInterval: ({ state }) => (state.data && isActive(state.data.scan) ? pollMs : false),
    retry: false,
  })
}

/** What a scan did, oldest first; asked for again while it runs. */
export function events(input: InputOf<typeof listScanEvents>, { isRunning }: { readonly isRunning: boolean }) {
  return {
    ...query(listScanEvents, { ...input, pageSize: 500 }),
    placeholderData: keepPreviousData,
    refetchInterval: isRunning ? pollMs : (false as const),
  }
}

/** The whole log as lines of text, page by page. */
export async function wholeLog(id: string): Promise<string> {
  const lines: string[] = []
  let pageToken: string | undefined
  do {
    const page = await call(listScanEvents, { id, pageSize: 500, pageToken })
    for (const { time, level, message } of page.events) lines.push(`${time} ${level.replace('LEVEL_', '')} ${message}`)
    pageToken = page.nextPageToken || undefined
  } while (pageToken)
  return `${lines.join('\n')}\n`
}

/** The addresses that a scan asked, and what each answered. */
export function hosts(input: InputOf<typeof listScanHosts>, { isRunning }: { readonly isRunning: boolean }) {
  return {
    ...query(listScanHosts, input),
    placeholderData: keepPreviousData,
    refetchInterval: isRunning ? pollMs : (false as const),
  }
}

/** What a scan changed, against the one before unless another is named. */
export function changes(id: string, baseScanId: string | undefined) {
  return query(diffScan, { id, baseScanId })
}

/**
 * "3 new, 5 resolved"; what is zero is not said. The changes count risks without a rating too, so a number
 * that would exceed the rated ones beside it says so.
 */
export function changeWords(changes: NonNullable<Scan['changes']>): string {
  const parts = [
    [changes.new, 'new'],
    [changes.regressive, 'regressed'],
    [changes.resolved, 'resolved'],
  ] as const
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => `${formatNumber(count)} ${word}`)
  return said.join(', ') || 'nothing changed'
}

export function overTime(input: InputOf<typeof scansOverTime>) {
  return { ...query(scansOverTime, input), placeholderData: keepPreviousData }
}

const touched = [listScans, getScan, listTargets, getTarget, statsSummary].map((endpoint) => [endpoint.path])

export function start(client: QueryClient) {
  return mutationOptions({
    mutationKey: [startScan.path],
    mutationFn: (targetId: string) => call(startScan, { targetId }),
    // A conflict tells of a scan that the page did not know of.
    onSettled: () => refresh(client, touched),
  })
}

/** Said after a start: a scan may have to wait for the allowed hours of its target, or for its agent. */
export function startedWords({ progress }: Pick<Scan, 'progress'>): string {
  const reason = progress?.failureReason
  return reason ? `Scan created. ${reason}.` : 'Scan started. Results appear as hosts are scanned.'
}

/** Starts a scan and says so, from something that outlives its page, such as the button of a notice. */
export async function startAndTell(client: QueryClient, targetId: string): Promise<void> {
  try {
    const { scan } = await call(startScan, { targetId })
    addToast('success', { title: 'Success', message: startedWords(scan) })
  } catch {
    // The call has raised a notice of its own.
  } finally {
    await refresh(client, touched)
  }
}

/** Most targets whose scans one call starts. */
export const startsMax = 500

/** Starts a scan of each; the answer says which were left out, and why. */
export function startMany(client: QueryClient) {
  return mutationOptions({
    mutationKey: [startScans.path],
    mutationFn: (targetIds: readonly string[]) => call(startScans, { targetIds: [...targetIds] }),
    onSettled: () => refresh(client, touched),
  })
}

/** The same from something that outlives its page; says how many have been started, and why others were not. */
export async function startManyAndTell(client: QueryClient, targetIds: readonly string[]): Promise<void> {
  try {
    const { startedCount, skipped } = await call(startScans, { targetIds: [...targetIds] })
    const reasons = [...new Set(skipped.map(({ message }) => message))].join(' · ')
    const left = skipped.length > 0 ? ` ${formatNumber(skipped.length)} left out: ${reasons}` : ''
    const message = `Started ${formatNumber(startedCount)} ${startedCount === 1 ? 'scan' : 'scans'}.${left}`
    addToast(left ? 'info' : 'success', { title: left ? 'Info' : 'Success', message })
  } catch {
    // The call has raised a notice of its own.
  } finally {
    await refresh(client, touched)
  }
}

/** Lets a scan that waits for its hours go on at once. */
export function resume(client: QueryClient) {
  return mutationOptions({
    mutationKey: [resumeScan.path],
    mutationFn: (id: string) => call(resumeScan, { id }),
    onSuccess: (answer, id) => client.setQueryData(one(id).queryKey, answer),
    onSettled: () => refresh(client, touched),
  })
}

export function cancel(client: QueryClient) {
  return mutationOptions({
    mutationKey: [cancelScan.path],
    mutationFn: (id: string) => call(cancelScan, { id }),
    onSuccess: (answer, id) => client.setQueryData(one(id).queryKey, answer),
    onSettled: () => refresh(client, [...touched, keyOf(listScanEvents), keyOf(listScanHosts)]),
  })
}

/** Address of the risks of a scan as a table, a row for each host. */
export function tableAddress(id: string): string {
  const columns = ['name', 'severity', 'score', 'cve', 'hostAddress', 'hostLocation', 'hostStatus', 'solution']
  const query = toQueryString({ format: 'csv', columns, filter: { scanId: id } })
  return apiAddress(`/v1/issues/export?${query}`)
}

/** Address of a scan's report as a file. */
export function reportAddress(id: string, format: ReportFormat = 'pdf'): string {
  const query = format === 'pdf' ? 'download=true' : `download=true&format=${format}`
  return apiAddress(`/v1/scans/${id}/report?${query}`)
}
