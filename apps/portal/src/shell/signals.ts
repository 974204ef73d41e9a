/** Live data shown in the sidebar. */
import { useQuery } from '@tanstack/react-query'
import { useMatch } from '@tanstack/react-router'
import { pollMs } from '#api/query.ts'
import * as issues from '#issues/queries.ts'
import * as scans from '#scans/queries.ts'

export interface Signals {
  /** Current open and regressed risks, from the quarter's series; undefined while loading. */
  readonly verified: number | undefined
  readonly potential: number | undefined
  readonly isScanning: boolean
  /** The list that contains the risk shown on this page. */
  readonly riskList: '/risks/verified' | '/risks/potential' | undefined
}

export function useSignals(): Signals {
  const running = useQuery({ ...scans.active(), refetchInterval: pollMs })
  return {
    verified: useActiveRisks('VERIFICATION_FILTER_VERIFIED'),
    potential: useActiveRisks('VERIFICATION_FILTER_UNVERIFIED'),
    isScanning: Boolean(running.data?.scans.some(scans.isActive)),
    riskList: useRiskList(),
  }
}

function useActiveRisks(verification: 'VERIFICATION_FILTER_VERIFIED' | 'VERIFICATION_FILTER_UNVERIFIED') {
  const { data } = useQuery(issues.byStatus({ period: 'PERIOD_QUARTER', filter: { verification } }))
  return data && currentActiveCount(data)
}

/** Reads from the cache, which the risk page fills. */
function useRiskList(): Signals['riskList'] {
  const match = useMatch({ from: '/_auth/risks/$id', shouldThrow: false })
  const { data } = useQuery({ ...issues.detail(match?.params.id ?? ''), enabled: false })
  if (!match || !data) return undefined
  return data.issue.verification === 'VERIFICATION_VERIFIED' ? '/risks/verified' : '/risks/potential'
}

/** Open plus regressed risks at the last point of the series, which is now. */
function currentActiveCount({
  open,
  regressive,
}: {
  readonly open: readonly number[]
  readonly regressive: readonly number[]
}): number {
  return (open.at(-1) ?? 0) + (regressive.at(-1) ?? 0)
}
