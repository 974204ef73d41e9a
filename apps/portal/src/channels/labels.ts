/** Labels for channels, URL validation, and delivery problems. */
import type { TokenScope } from '@glacis/contract/access'
import type { Channel, ChannelEvent, ChannelKind, ChannelRule } from '@glacis/contract/channel'
import { UrlOrEmpty } from '@glacis/contract/primitives'

/** In display order. */
export const channelKinds: readonly { kind: ChannelKind; name: string; sentence: string }[] = [
  { kind: 'KIND_EMAIL', name: 'Email', sentence: 'Sends email to the workspace owner or to teams.' },
  { kind: 'KIND_SLACK', name: 'Slack', sentence: 'Posts to a channel through an incoming webhook.' },
  { kind: 'KIND_WEBHOOK', name: 'Webhook', sentence: 'Sends JSON to your own endpoint with a POST request.' },
  { kind: 'KIND_DISCORD', name: 'Discord', sentence: 'Posts to a channel through a webhook.' },
]

export const eventLabels: Readonly<Record<ChannelEvent, string>> = {
  EVENT_ISSUE_OPENED: 'New risk',
  EVENT_ISSUE_REGRESSED: 'Risk regressed',
  EVENT_ISSUE_RESOLVED: 'Risk resolved',
  EVENT_THREAT_EMERGING: 'Emerging threat',
  EVENT_SCAN_COMPLETED: 'Scan completed',
  EVENT_SCAN_FAILED: 'Scan failed',
  EVENT_AGENT_DISCONNECTED: 'Agent disconnected',
}

/** Severity levels by their minimum CVSS score. */
export const thresholds = [
  { score: 0, word: 'All risks' },
  { score: 0.1, word: 'Low and above' },
  { score: 4, word: 'Medium and above' },
  { score: 7, word: 'High and above' },
  { score: 9, word: 'Critical only' },
] as const

/** The default rule of a new channel. */
export const defaultRule: ChannelRule = {
  events: [
    'EVENT_ISSUE_OPENED',
    'EVENT_ISSUE_REGRESSED',
    'EVENT_THREAT_EMERGING',
    'EVENT_SCAN_FAILED',
    'EVENT_AGENT_DISCONNECTED',
  ],
  minSeverity: 7,
  tagIds: [],
}

/** "High and above · 4 event types" */
export function formatRule({ events, minSeverity }: ChannelRule): string {
  const from = thresholds.findLast(({ score }) => score <= minSeverity)?.word ?? 'All risks'
  const [only] = events
  return `${from} · ${events.length === 1 && only ? eventLabels[only] : `${events.length} event types`}`
}

/** Validation error for a webhook URL. */
export function urlError(address: string): string | undefined {
  return UrlOrEmpty.safeParse(address).success
    ? undefined
    : 'Enter a full URL that starts with https://, or leave it empty to turn the channel off.'
}

/** Hides the secret part of a webhook URL: keeps the origin and the last four characters. */
export function maskUrl(address: string): string {
  if (address === '') return ''
  const { origin } = new URL(address)
  const rest = address.slice(origin.length)
  return rest.length > 8 ? `${origin}/…${rest.slice(-4)}` : origin
}

/** Describes a delivery problem; undefined if deliveries work. */
export function deliveryProblem({ isEnabled, failureCount, lastDelivery }: Channel): string | undefined {
  if (!isEnabled && failureCount > 0)
    return `Paused after ${failureCount === 1 ? 'a failed delivery' : `${failureCount} failed deliveries`}. Check the delivery log, then resume.`
  if (failureCount === 0) {
    const isLate = lastDelivery?.state === 'STATE_PENDING' && lastDelivery.error !== ''
    return isLate ? `Delivery failed and will be retried: ${lastDelivery.error}` : undefined
  }
  const reason = lastDelivery?.error ? `: ${lastDelivery.error}` : ''
  return `${failureCount === 1 ? 'The last delivery' : `The last ${failureCount} deliveries`} failed${reason}`
}

export const scopeLabels: Readonly<Record<TokenScope, string>> = {
  SCOPE_READ: 'Read',
  SCOPE_SCAN: 'Read and start scans',
  SCOPE_WRITE: 'Read and write',
}
