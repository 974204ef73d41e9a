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
import { getHost, getProduct, listHosts, listProducts } from '@glacis/contract/inventory'
import {
  cancelScan,
  getScan,
  listScanEvents,
  listScans,
  type Scan,
  type ScanStatus,
  startScan,
} from '@glacis/contract/scan'
import { getTarget, listTargets } from '@glacis/contract/target'
import { keepPreviousData, mutationOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { apiAddress, call } from '#api/call.ts'
import { keyOf, pollMs, query, refresh } from '#api/query.ts'

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
export function events(id: string, { isRunning }: { readonly isRunning: boolean }) {
  return {
    ...query(listScanEvents, { id, pageSize: 500 }),
    refetchInterval: isRunning ? pollMs : (false as const),
  }
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

export function cancel(client: QueryClient) {
  return mutationOptions({
    mutationKey: [cancelScan.path],
    mutationFn: (id: string) => call(cancelScan, { id }),
    onSuccess: (answer, id) => client.setQueryData(one(id).queryKey, answer),
    onSettled: () => refresh(client, [...touched, keyOf(listScanEvents)]),
  })
}

/** Address of a scan's report as a file. */
export function reportAddress(id: string, format: 'pdf' | 'json' = 'pdf'): string {
  const query = format === 'pdf' ? 'download=true' : 'download=true&format=json'
  return apiAddress(`/v1/scans/${id}/report?${query}`)
}
