/** Words and order of agents. */
import type { Agent, AgentConnection, AgentJobState, DisconnectReason } from '@glacis/contract/agent'
import { nameLengthMax } from '@glacis/contract/primitives'
import { formatDuration, formatNumber } from '#lib/format.ts'

/** `0.042s` → `42 ms`; nothing while it is not connected. */
export function latencyWords({ latency }: Pick<Agent, 'latency'>): string | undefined {
  return latency === undefined ? undefined : formatDuration(Number.parseFloat(latency) * 1000)
}

/** "1 target is", "3 targets are". */
export function targetWords(count: number): string {
  return count === 1 ? '1 target is' : `${formatNumber(count)} targets are`
}

/** One that was there and is not: somebody should look. */
export function isLost({ status, lastSeenTime }: Pick<Agent, 'status' | 'lastSeenTime'>): boolean {
  return status === 'STATUS_DISCONNECTED' && lastSeenTime !== undefined
}

export type AgentSort = 'name' | 'seen'

/** Those that are away first, those that never came last; or by name, or by when they were seen. */
export function sorted(agents: readonly Agent[], sort: AgentSort | undefined): Agent[] {
  const seen = ({ lastSeenTime }: Agent) => (lastSeenTime ? Date.parse(lastSeenTime) : 0)
  const byName = (a: Agent, b: Agent) => a.name.localeCompare(b.name, 'en-CH')
  if (sort === 'name') return [...agents].sort(byName)
  if (sort === 'seen') return [...agents].sort((a, b) => seen(b) - seen(a) || byName(a, b))
  const rank = (agent: Agent) => (isLost(agent) ? 0 : agent.status === 'STATUS_CONNECTED' ? 1 : 2)
  return [...agents].sort((a, b) => rank(a) - rank(b) || byName(a, b))
}

/** What is wrong with a name; undefined when it may be sent. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'Required'
  return name.trim().length > nameLengthMax ? `String must contain at most ${nameLengthMax} character(s)` : undefined
}

export const reasonWords: Readonly<Record<DisconnectReason, string>> = {
  REASON_STOPPED: 'Stopped',
  REASON_LOST: 'Fell silent',
  REASON_REVOKED: 'Key revoked',
  REASON_REPLACED: 'Started anew',
}

export const jobWords: Readonly<Record<AgentJobState, string>> = {
  STATE_RUNNING: 'Running',
  STATE_DONE: 'Done',
  STATE_RETURNED: 'Given back',
  STATE_LOST: 'Lost',
  STATE_CANCELLED: 'Cancelled',
  STATE_FAILED: 'Failed',
}

const dayMs = 86_400_000

/**
 * The share of each of the last days that an agent was connected, oldest first. A day before the
 * agent existed has none.
 */
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

/** Whether a host name, as an address of the browser has it, is that of the machine itself. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** As many agents as one answer holds. */
export const allInput = { pageSize: 500 } as const
