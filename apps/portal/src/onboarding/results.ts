/** Summaries of completed onboarding steps, derived from existing data. */
import type { Scan } from '@glacis/contract/scan'
import { useQuery } from '@tanstack/react-query'
import { all as allAgents } from '#agents/queries.ts'
import { list as allChannels } from '#channels/queries.ts'
import { type Results, summarizeNames } from '#onboarding/steps.ts'
import { list as listScans } from '#scans/queries.ts'
import { all as allTargets } from '#targets/queries.ts'

/** A step without a result is omitted; the stepper then shows its hint. */
export function useResults(): Results {
  const targets = useQuery(allTargets()).data?.targets ?? []
  const agents = useQuery(allAgents()).data?.agents ?? []
  const scans = useQuery(listScans({ pageSize: 25 })).data?.scans ?? []
  const channels = useQuery(allChannels()).data?.channels ?? []
  const summaries = {
    TARGET: summarizeNames(targets.map(({ address }) => address)),
    AGENT: summarizeNames(agents.filter(({ lastSeenTime }) => lastSeenTime).map(({ name }) => name)),
    SCAN: summarizeNames(scannedTargetNames(scans)),
    NOTIFICATIONS: summarizeNames(channels.map(({ kind }) => kindWords[kind])),
  }
  return Object.fromEntries(Object.entries(summaries).filter(([, text]) => text))
}

/** Distinct names of scanned targets. */
function scannedTargetNames(scans: readonly Scan[]): string[] {
  const completed = scans.filter(({ status }) => status === 'STATUS_COMPLETED')
  return [...new Set(completed.flatMap(({ target }) => target?.name ?? []))]
}

const kindWords = {
  KIND_EMAIL: 'Email',
  KIND_SLACK: 'Slack',
  KIND_WEBHOOK: 'Webhook',
  KIND_DISCORD: 'Discord',
} as const
