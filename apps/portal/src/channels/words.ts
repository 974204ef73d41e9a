/** How channels are called, and what can be wrong with an address. */
import type { Channel, ChannelEvent, ChannelKind, ChannelRule } from '@glacis/contract/channel'
import { UrlOrEmpty } from '@glacis/contract/primitives'

/** In the order of the page. */
export const kinds: readonly { kind: ChannelKind; name: string; sentence: string }[] = [
  { kind: 'KIND_EMAIL', name: 'Email', sentence: 'Sends to the address of your account.' },
  { kind: 'KIND_SLACK', name: 'Slack', sentence: 'Posts to a channel through an incoming webhook.' },
  { kind: 'KIND_WEBHOOK', name: 'Webhook', sentence: 'Sends JSON to your own endpoint with a POST request.' },
  { kind: 'KIND_DISCORD', name: 'Discord', sentence: 'Posts to a channel through a webhook.' },
]

export const eventWords: Readonly<Record<ChannelEvent, string>> = {
  EVENT_ISSUE_OPENED: 'New risk',
  EVENT_ISSUE_REGRESSED: 'Risk is back',
  EVENT_ISSUE_RESOLVED: 'Risk resolved',
  EVENT_THREAT_EMERGING: 'Emerging threat',
  EVENT_SCAN_COMPLETED: 'Scan completed',
  EVENT_SCAN_FAILED: 'Scan failed',
  EVENT_AGENT_DISCONNECTED: 'Agent disconnected',
}

/** Severities as the score they begin with. */
export const thresholds = [
  { score: 0, word: 'All risks' },
  { score: 0.1, word: 'Low and above' },
  { score: 4, word: 'Medium and above' },
  { score: 7, word: 'High and above' },
  { score: 9, word: 'Critical only' },
] as const

/** What a new channel is set to. */
export const usualRule: ChannelRule = {
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

/** "High and above · 4 kinds of events". */
export function ruleWords({ events, minSeverity }: ChannelRule): string {
  const from = thresholds.findLast(({ score }) => score <= minSeverity)?.word ?? 'All risks'
  const [only] = events
  return `${from} · ${events.length === 1 && only ? eventWords[only] : `${events.length} kinds of events`}`
}

/** What is wrong with an address, or nothing. */
export function addressProblem(address: string): string | undefined {
  return UrlOrEmpty.safeParse(address).success
    ? undefined
    : 'Enter a full URL that starts with https://, or leave it empty to turn the channel off.'
}

/** The address without what makes it a secret: scheme and host, and the last four characters. */
export function maskedAddress(address: string): string {
  if (address === '') return ''
  const { origin } = new URL(address)
  const rest = address.slice(origin.length)
  return rest.length > 8 ? `${origin}/…${rest.slice(-4)}` : origin
}

/** A channel that does not deliver says so. */
export function trouble({ isEnabled, failureCount, lastDelivery }: Channel): string | undefined {
  if (!isEnabled && failureCount > 0) return `Paused after ${failureCount} deliveries that failed`
  if (failureCount === 0) {
    const isLate = lastDelivery?.state === 'STATE_PENDING' && lastDelivery.error !== ''
    return isLate ? `Not delivered so far, and tried again: ${lastDelivery.error}` : undefined
  }
  const reason = lastDelivery?.error ? `: ${lastDelivery.error}` : ''
  return `${failureCount === 1 ? 'The last delivery' : `The last ${failureCount} deliveries`} failed${reason}`
}
