import { expect, it } from 'vitest'
import { freePlanId, PlanId, planIds, SubscriptionPeriod } from '#account.ts'
import { AgentStatus } from '#agent.ts'
import { ChannelKind } from '#channel.ts'
import { MessageType, NodeGroup } from '#identity.ts'
import { NodeKind, StatsPeriod } from '#insights.ts'
import { IssueOrder, IssueStatus, StatusFilter, VerificationFilter } from '#issue.ts'
import { ScanStatus, ScanType } from '#scan.ts'
import { SchedulePeriod } from '#target.ts'
import { SeverityCategory, SolutionKind } from '#threat.ts'

const words = (prefix: string, ...ends: readonly string[]) => ends.map((end) => `${prefix}_${end}`)

it.each([
  ['a scan’s status', ScanStatus, words('STATUS', 'CREATED', 'RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED')],
  ['a scan’s type', ScanType, words('TYPE', 'UNSPECIFIED', 'AUTOMATIC', 'MANUAL', 'EMERGING')],
  ['an issue’s status', IssueStatus, words('STATUS', 'OPEN', 'RESOLVED', 'IGNORED', 'REGRESSION')],
  ['an agent’s status', AgentStatus, words('STATUS', 'CONNECTED', 'DISCONNECTED')],
  ['the filter by status', StatusFilter, words('STATUS_FILTER', 'ALL', 'OPEN', 'RESOLVED', 'IGNORED')],
  [
    'the filter by verification',
    VerificationFilter,
    words('VERIFICATION_FILTER', 'UNSPECIFIED', 'ALL', 'VERIFIED', 'UNVERIFIED'),
  ],
  ['a severity', SeverityCategory, words('CATEGORY', 'UNSPECIFIED', 'NONE', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL')],
  [
    'a solution',
    SolutionKind,
    words('KIND', 'UNSPECIFIED', 'NONE', 'WONT_FIX', 'MITIGATION', 'WORKAROUND', 'VENDOR_FIX'),
  ],
  ['a channel', ChannelKind, words('KIND', 'EMAIL', 'WEBHOOK', 'SLACK', 'DISCORD')],
  ['the period of a subscription', SubscriptionPeriod, words('PERIOD', 'UNSPECIFIED', 'MONTHLY', 'YEARLY')],
  ['the period of a schedule', SchedulePeriod, words('PERIOD', 'DAILY', 'WEEKLY', 'MONTHLY')],
  ['the period of figures', StatsPeriod, words('PERIOD', 'WEEK', 'MONTH', 'QUARTER', 'YEAR')],
  ['a node of the graph', NodeKind, words('KIND', 'PRODUCT', 'HOST', 'THREAT')],
])('%s has these words and no others', (_, schema, expected) => {
  expect(schema.options).toEqual(expected)
  expect(schema.safeParse('SOMETHING_ELSE').success).toBe(false)
})

it('orders issues by the most recent, among others', () => {
  expect(IssueOrder.options).toContain('ORDER_BY_MOST_RECENT')
})

it('knows five plans, the free one among them', () => {
  expect([new Set(planIds).size, PlanId.parse(freePlanId)]).toEqual([5, 'free'])
})

it.each(['info', 'success', 'error'])('reads the message type %s as it is', (type) => {
  expect(MessageType.parse(type)).toBe(type)
})
it.each(['warning', '', 7, undefined])('takes the message type %j for an error', (type) => {
  expect(MessageType.parse(type)).toBe('error')
})

it.each(['default', 'password', 'code', 'profile', 'oidc', 'webauthn', 'passkey', 'totp'])(
  'knows the group %s of a form',
  (group) => expect(NodeGroup.parse(group)).toBe(group),
)
it('reads a group that it does not know, without a failure', () => {
  expect(NodeGroup.parse('telepathy')).toBe('unknown')
})
