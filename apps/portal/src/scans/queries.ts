/** Queries and mutations for scans. Active scans are polled until they end. */
import type { InputOf, ResultOf } from '@glacis/contract/endpoint'
import { scansOverTime } from '@glacis/contract/insights'
import { toQueryString } from '@glacis/contract/query-string'
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
import { keepPreviousData, mutationOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { sentence } from '#api/advice.ts'
import { apiFileUrl, call } from '#api/call.ts'
import { keyOf, pollMs, query, refreshAll } from '#api/query.ts'
import { addToast } from '#ui/toasts.tsx'
import { formatNumber } from '#lib/format.ts'
import { scansInput } from '#scans/search.ts'

/** Statuses of a scan that has not ended. */
const activeStatuses = ['STATUS_CREATED', 'STATUS_RUNNING'] as const satisfies readonly ScanStatus[]

export function isActive({ status }: Pick<Scan, 'status'>): boolean {
  return status === 'STATUS_CREATED' || status === 'STATUS_RUNNING'
}

/** One page of scans, polled every 5 s while one of them is active and the tab is visible. */
export function list(input: InputOf<typeof listScans>) {
  const queryKey = keyOf(listScans, input)
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<ScanPage>(queryKey)
      const response = await call(listScans, input, { signal })
      if (before && hasEnded(before.scans, response.scans)) void refreshAll(client, { except: listScans.path })
      return response
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.scans.some(isActive) ? pollMs : false),
    retry: false,
  })
}

/** The first page of the list without filters, for the route loader. */
export function first() {
  return list(scansInput({}))
}

/** The newest finished scan among those that the overview shows, or undefined. */
export function lastEnded() {
  return { ...list({ pageSize: 25 }), select: ({ scans }: ScanPage) => scans.find((scan) => !isActive(scan)) }
}

type ScanPage = ResultOf<typeof listScans>

/** True if a scan has ended between two responses, so that any other query may be stale. */
export function hasEnded(before: readonly Scan[], after: readonly Scan[]): boolean {
  const active = new Set(after.filter(isActive).map(({ id }) => id))
  return before.some((scan) => isActive(scan) && !active.has(scan.id))
}

/** Active scans of one target or of all targets. */
export function active(targetId?: string) {
  const filter = { status: [...activeStatuses], ...(targetId && { targetId }) }
  return list({ pageSize: 100, filter })
}

/** One scan, polled every 5 s while it is active. */
export function detail(id: string) {
  const queryKey = keyOf(getScan, { id })
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<ResultOf<typeof getScan>>(queryKey)
      const response = await call(getScan, { id }, { signal })
      if (before && hasEnded([before.scan], [response.scan])) void refreshAll(client, { except: listScans.path })
      return response
    },
    refetchInterval: ({ state }) => (state.data && isActive(state.data.scan) ? pollMs : false),
    retry: false,
  })
}

/** A scan's log, oldest first; polled while it runs. */
export function events(input: InputOf<typeof listScanEvents>, { isRunning }: { readonly isRunning: boolean }) {
  return {
    ...query(listScanEvents, { ...input, pageSize: 500 }),
    placeholderData: keepPreviousData,
    refetchInterval: isRunning ? pollMs : (false as const),
  }
}

/** Fetches the complete log as lines of text. */
export async function fetchLog(id: string): Promise<string> {
  const lines: string[] = []
  let pageToken: string | undefined
  do {
    const page = await call(listScanEvents, { id, pageSize: 500, pageToken })
    for (const { time, level, message } of page.events) lines.push(`${time} ${level.replace('LEVEL_', '')} ${message}`)
    pageToken = page.nextPageToken || undefined
  } while (pageToken)
  return `${lines.join('\n')}\n`
}

/** The addresses that a scan probed, with their results. */
export function hosts(input: InputOf<typeof listScanHosts>, { isRunning }: { readonly isRunning: boolean }) {
  return {
    ...query(listScanHosts, input),
    placeholderData: keepPreviousData,
    refetchInterval: isRunning ? pollMs : (false as const),
  }
}

/** Changes compared with `baseScanId`, by default the previous completed scan. */
export function changes(id: string, baseScanId: string | undefined) {
  return query(diffScan, { id, baseScanId })
}

/** "3 new, 5 resolved"; zero counts are omitted. The counts include risks without a severity. */
export function formatChanges(changes: NonNullable<Scan['changes']>): string {
  const parts = [
    [changes.new, 'new'],
    [changes.regressive, 'regressed'],
    [changes.resolved, 'resolved'],
  ] as const
  const phrases = parts.filter(([count]) => count > 0).map(([count, word]) => `${formatNumber(count)} ${word}`)
  return phrases.join(', ') || 'no changes'
}

export function overTime(input: InputOf<typeof scansOverTime>) {
  return { ...query(scansOverTime, input), placeholderData: keepPreviousData }
}

export const start = mutationOptions({ mutationFn: (targetId: string) => call(startScan, { targetId }) })

const expectations = {
  Scan: 'Results appear as hosts are scanned.',
  Retest: 'The risk is resolved if it is no longer found.',
}

/** Success message after starting a scan, which may have to wait for the target's allowed hours or its agent. */
export function startedMessage({ progress }: Pick<Scan, 'progress'>, kind: keyof typeof expectations = 'Scan'): string {
  const reason = progress?.failureReason
  return reason ? `${kind} created. ${sentence(reason)}` : `${kind} started. ${expectations[kind]}`
}

/** Starts a scan and shows a toast. For callers that outlive their page, such as a toast's button. */
export async function startWithToast(client: QueryClient, targetId: string): Promise<void> {
  try {
    const { scan } = await call(startScan, { targetId })
    addToast('success', { title: 'Success', message: startedMessage(scan) })
  } catch {
    // The call has already shown a toast.
  } finally {
    await refreshAll(client)
  }
}

/** Maximum number of scans that one call starts. */
export const maxStarts = 500

/** Starts a scan of each target; the result lists skipped targets with reasons. */
export const startMany = mutationOptions({
  mutationFn: (targetIds: readonly string[]) => call(startScans, { targetIds: [...targetIds] }),
})

type SkippedTargets = readonly { readonly message: string }[]

/** Shows a toast with the number of started scans, and the reasons for skipped targets. */
export function showStarted(result: { readonly startedCount: number; readonly skipped: SkippedTargets }): void {
  const { startedCount, skipped } = result
  showResult(`Started ${formatNumber(startedCount)} ${startedCount === 1 ? 'scan' : 'scans'}.`, skipped)
}

/** Shows a toast with a message, and the reasons for skipped targets. */
export function showResult(message: string, skipped: SkippedTargets): void {
  if (skipped.length === 0) return addToast('success', { title: 'Success', message })
  const reasons = [...new Set(skipped.map((target) => target.message))].join(' · ')
  const count = `${formatNumber(skipped.length)} ${skipped.length === 1 ? 'target' : 'targets'}`
  addToast('info', { title: 'Info', message: `${message} ${count} skipped: ${reasons}` })
}

/** Starts a scan of each target and shows a toast with the result. For callers that outlive their page. */
export async function startManyWithToast(client: QueryClient, targetIds: readonly string[]): Promise<void> {
  try {
    showStarted(await call(startScans, { targetIds: [...targetIds] }))
  } catch {
    // The call has already shown a toast.
  } finally {
    await refreshAll(client)
  }
}

/** Resumes a scan that waits for its allowed hours. */
export const resume = mutationOptions({
  mutationFn: (id: string) => call(resumeScan, { id }),
  onSuccess: (response, id, _, { client }) => client.setQueryData(detail(id).queryKey, response),
})

export const cancel = mutationOptions({
  mutationFn: (id: string) => call(cancelScan, { id }),
  onSuccess: (response, id, _, { client }) => client.setQueryData(detail(id).queryKey, response),
})

/** URL of a scan's risks as CSV, one row per host. */
export function csvUrl(id: string): string {
  const columns = ['name', 'severity', 'score', 'cve', 'hostAddress', 'hostPort', 'hostPath', 'hostStatus', 'solution']
  const query = toQueryString({ format: 'csv', columns, filter: { scanId: id } })
  return apiFileUrl(`/v1/issues/export?${query}`)
}

/** Download URL of a scan's report. */
export function reportUrl(id: string, format: ReportFormat = 'pdf'): string {
  const query = format === 'pdf' ? 'download=true' : `download=true&format=${format}`
  return apiFileUrl(`/v1/scans/${id}/report?${query}`)
}
