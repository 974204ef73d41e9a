/** What was done in each step, told by what is there. */
import type { Scan } from '@glacis/contract/scan'
import { useQuery } from '@tanstack/react-query'
import { all as allAgents } from '#agents/queries.ts'
import { list as allChannels } from '#channels/queries.ts'
import { type Results, someOf } from '#onboarding/steps.ts'
import { list as listScans } from '#scans/queries.ts'
import { all as allTargets } from '#targets/queries.ts'

/** Absent for a step of which nothing is known yet; its hint stands in. */
export function useResults(): Results {
  const targets = useQuery(allTargets()).data?.targets ?? []
  const agents = useQuery(allAgents()).data?.agents ?? []
  const scans = useQuery(listScans({ pageSize: 25 })).data?.scans ?? []
  const channels = useQuery(allChannels()).data?.channels ?? []
  const found = {
    TARGET: someOf(targets.map(({ address }) => address)),
    AGENT: someOf(agents.filter(({ lastSeenTime }) => lastSeenTime).map(({ name }) => name)),
    SCAN: someOf(namesScanned(scans)),
    NOTIFICATIONS: someOf(channels.map(({ kind }) => kindWords[kind])),
  }
  return Object.fromEntries(Object.entries(found).filter(([, words]) => words))
}

/** Each target once, however often it was scanned. */
function namesScanned(scans: readonly Scan[]): string[] {
  const completed = scans.filter(({ status }) => status === 'STATUS_COMPLETED')
  return [...new Set(completed.flatMap(({ target }) => target?.name ?? []))]
}

const kindWords = {
  KIND_EMAIL: 'Email',
  KIND_SLACK: 'Slack',
  KIND_WEBHOOK: 'Webhook',
  KIND_DISCORD: 'Discord',
} as const
