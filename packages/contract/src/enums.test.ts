import { expect, it } from 'vitest'
import { freePlanId, PlanId, planIds, SubscriptionPeriod } from '#subscription.ts'
import { AgentStatus } from '#agent.ts'
import { ChannelKind } from '#channel.ts'
import { MessageType, NodeGroup } from '#identity.ts'
import { NodeKind, StatsPeriod } from '#insights.ts'
import { IssueOrder, IssueStatus, StatusFilter, VerificationFilter } from '#issue.ts'
import { ScanStatus, ScanType } from '#scan.ts'
import { SchedulePeriod } from '#target.ts'
import { SeverityCategory, SolutionKind } from '#threat.ts'

const values = (prefix: string, ...ends: readonly string[]) => ends.map((end) => `${prefix}_${end}`)

it.each([
  ['scan status', ScanStatus, values('STATUS', 'CREATED', 'RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED')],
  ['scan type', ScanType, values('TYPE', 'UNSPECIFIED', 'AUTOMATIC', 'MANUAL', 'EMERGING')],
  ['issue status', IssueStatus, values('STATUS', 'OPEN', 'RESOLVED', 'IGNORED', 'REGRESSION')],
  ['agent status', AgentStatus, values('STATUS', 'CONNECTED', 'DISCONNECTED')],
  ['status filter', StatusFilter, values('STATUS_FILTER', 'ALL', 'OPEN', 'RESOLVED', 'IGNORED')],
  [
    'verification filter',
    VerificationFilter,
    values('VERIFICATION_FILTER', 'UNSPECIFIED', 'ALL', 'VERIFIED', 'UNVERIFIED'),
  ],
  ['severity', SeverityCategory, values('CATEGORY', 'UNSPECIFIED', 'NONE', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL')],
  [
    'solution',
    SolutionKind,
    values('KIND', 'UNSPECIFIED', 'NONE', 'WONT_FIX', 'MITIGATION', 'WORKAROUND', 'VENDOR_FIX'),
  ],
  ['channel kind', ChannelKind, values('KIND', 'EMAIL', 'WEBHOOK', 'SLACK', 'DISCORD')],
  ['subscription period', SubscriptionPeriod, values('PERIOD', 'UNSPECIFIED', 'MONTHLY', 'YEARLY')],
  ['schedule period', SchedulePeriod, values('PERIOD', 'DAILY', 'WEEKLY', 'MONTHLY')],
  ['statistics period', StatsPeriod, values('PERIOD', 'WEEK', 'MONTH', 'QUARTER', 'YEAR')],
  ['graph node kind', NodeKind, values('KIND', 'PRODUCT', 'HOST', 'THREAT')],
])('%s has exactly these values', (_, schema, expected) => {
  expect(schema.options).toEqual(expected)
  expect(schema.safeParse('SOMETHING_ELSE').success).toBe(false)
})

it('can order issues by most recent', () => {
  expect(IssueOrder.options).toContain('ORDER_BY_MOST_RECENT')
})

it('has five plans including the free plan', () => {
  expect([new Set(planIds).size, PlanId.parse(freePlanId)]).toEqual([5, 'free'])
})

it.each(['info', 'success', 'error'])('parses message type %s', (type) => {
  expect(MessageType.parse(type)).toBe(type)
})
it.each(['warning', '', 7, undefined])('parses unknown message type %j as error', (type) => {
  expect(MessageType.parse(type)).toBe('error')
})

it.each(['default', 'password', 'code', 'profile', 'oidc', 'webauthn', 'passkey', 'totp'])(
  'parses node group %s',
  (group) => expect(NodeGroup.parse(group)).toBe(group),
)
it('parses an unknown node group as unknown', () => {
  expect(NodeGroup.parse('telepathy')).toBe('unknown')
})
