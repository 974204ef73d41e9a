/** Labels and sort orders for agents. */
import type { Agent, AgentConnection, AgentJobState, DisconnectReason } from '@glacis/contract/agent'
import { nameLengthMax } from '@glacis/contract/primitives'
import { formatDuration, formatNumber, locale } from '#lib/format.ts'

/** `0.042s` → `42 ms`; undefined for disconnected agents. */
export function formatLatency({ latency }: Pick<Agent, 'latency'>): string | undefined {
  return latency === undefined ? undefined : formatDuration(Number.parseFloat(latency) * 1000)
}

/** "1 target is", "3 targets are". */
export function formatTargetCount(count: number): string {
  return count === 1 ? '1 target is' : `${formatNumber(count)} targets are`
}

/** True for an agent that has been connected before and isn't now. */
export function isDisconnected({ status, lastSeenTime }: Pick<Agent, 'status' | 'lastSeenTime'>): boolean {
  return status === 'STATUS_DISCONNECTED' && lastSeenTime !== undefined
}

export type AgentSort = 'name' | 'seen'

/** Sorts by name or last seen. By default, disconnected agents come first and those that never connected last. */
export function sortAgents(agents: readonly Agent[], sort: AgentSort | undefined): Agent[] {
  const seen = ({ lastSeenTime }: Agent) => (lastSeenTime ? Date.parse(lastSeenTime) : 0)
  const byName = (a: Agent, b: Agent) => a.name.localeCompare(b.name, locale)
  if (sort === 'name') return [...agents].sort(byName)
  if (sort === 'seen') return [...agents].sort((a, b) => seen(b) - seen(a) || byName(a, b))
  const rank = (agent: Agent) => (isDisconnected(agent) ? 0 : agent.status === 'STATUS_CONNECTED' ? 1 : 2)
  return [...agents].sort((a, b) => rank(a) - rank(b) || byName(a, b))
}

/** Validation error for an agent's name. */
export function nameError(name: string): string | undefined {
  if (name.trim() === '') return 'Required'
  return name.trim().length > nameLengthMax ? `String must contain at most ${nameLengthMax} character(s)` : undefined
}

export const disconnectReasonLabels: Readonly<Record<DisconnectReason, string>> = {
  REASON_STOPPED: 'Stopped',
  REASON_LOST: 'Connection lost',
  REASON_REVOKED: 'Key revoked',
  REASON_REPLACED: 'Restarted',
}

export const jobStateLabels: Readonly<Record<AgentJobState, string>> = {
  STATE_RUNNING: 'Running',
  STATE_DONE: 'Done',
  STATE_RETURNED: 'Returned',
  STATE_LOST: 'Lost',
  STATE_CANCELLED: 'Canceled',
  STATE_FAILED: 'Failed',
}

const dayMs = 86_400_000

/** Share of each of the last `days` that an agent was connected, oldest first. Undefined before it was created. */
export function availability(
  connections: readonly Pick<AgentConnection, 'connectTime' | 'disconnectTime'>[],
  { createTime, now, days }: { readonly createTime: string; readonly now: number; readonly days: number },
): (number | undefined)[] {
  const begin = Date.parse(createTime)
  return Array.from({ length: days }, (_, index) => {
    const to = now - (days - 1 - index) * dayMs
    const from = Math.max(to - dayMs, begin)
    if (to <= from) return undefined
    const connected = connections.reduce((sum, { connectTime, disconnectTime }) => {
      const end = disconnectTime ? Date.parse(disconnectTime) : now
      return sum + Math.max(0, Math.min(end, to) - Math.max(Date.parse(connectTime), from))
    }, 0)
    return Math.min(1, connected / (to - from))
  })
}

/** True for a loopback hostname in the form of `location.hostname`. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Input for the maximum page of agents. */
export const maxPageInput = { pageSize: 500 } as const
