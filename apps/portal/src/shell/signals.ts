/** What the sidebar tells of the rest of the product. */
import { useQuery } from '@tanstack/react-query'
import { pollMs } from '#api/query.ts'
import * as issues from '#issues/queries.ts'
import * as scans from '#scans/queries.ts'

export interface Signals {
  /** Open and regressed risks now, in the quarter's series; undefined while unknown. */
  readonly verified: number | undefined
  readonly potential: number | undefined
  readonly isScanning: boolean
}

export function useSignals(): Signals {
  const running = useQuery({ ...scans.active(), refetchInterval: pollMs })
  return {
    verified: useActiveRisks('VERIFICATION_FILTER_VERIFIED'),
    potential: useActiveRisks('VERIFICATION_FILTER_UNVERIFIED'),
    isScanning: Boolean(running.data?.scans.some(scans.isActive)),
  }
}

function useActiveRisks(verification: 'VERIFICATION_FILTER_VERIFIED' | 'VERIFICATION_FILTER_UNVERIFIED') {
  const { data } = useQuery(issues.byStatus({ period: 'PERIOD_QUARTER', filter: { verification } }))
  return data && activeNow(data)
}

/** Open plus regressive at the last point of a series, which is now. */
function activeNow({
  open,
  regressive,
}: {
  readonly open: readonly number[]
  readonly regressive: readonly number[]
}): number {
  return (open.at(-1) ?? 0) + (regressive.at(-1) ?? 0)
}
