import { beforeAll, describe, expect, it } from 'vitest'
import { changeSubscription } from '#subscription.ts'
import * as agents from '#agent.ts'
import { createChannel } from '#channel.ts'
import type { Endpoint } from '#endpoint.ts'
import * as insights from '#insights.ts'
import * as issues from '#issue.ts'
import { fromQueryString, toQueryString } from '#query-string.ts'
import { watchProduct } from '#product.ts'
import { ReportQuery, startScan } from '#scan.ts'
import * as targets from '#target.ts'
import { updateWorkspace } from '#workspace.ts'
import { retestIssue } from '#triage.ts'
import { installValidationMessages } from '#validation-messages.ts'

beforeAll(installValidationMessages)

const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'

const target = { name: 'x', address: '127.0.0.1', schedule: { period: 'PERIOD_DAILY' } }
const subscription = { planId: 'team', numTargets: 150, period: 'PERIOD_MONTHLY' }
const channel = (webhookUrl: string) => ({ channel: { kind: 'KIND_WEBHOOK', webhookUrl } })
const named = (name: string, paths = ['name']) => ({ id, agent: { name }, updateMask: { paths } })
const retention = (value: object) => ({ workspace: { retention: value }, updateMask: { paths: ['retention'] } })
const changed = (change: object) => ({ id, tags: [], ...change, updateMask: { paths: ['name'] } })
describe('rejects invalid input with path and message', () => {
  it.each<[Endpoint, object, string, string | RegExp]>([
    [agents.createAgent, { agent: {} }, 'agent.name', 'Required'],
    [agents.createAgent, { agent: { name: '' } }, 'agent.name', 'String must contain at least 1 character(s)'],
    [agents.createAgent, { agent: { name: 'x'.repeat(129) } }, 'agent.name', /at most 128/],
    [agents.updateAgent, { ...named('x'), id: '42' }, 'id', /Invalid/],
    [agents.updateAgent, named(''), 'agent.name', /at least 1/],
    [agents.updateAgent, named('x'.repeat(129)), 'agent.name', /at most 128/],
    [targets.createTarget, { ...target, name: '' }, 'name', /at least 1/],
    [targets.createTarget, { ...target, name: 'x'.repeat(129) }, 'name', /at most 128/],
    [targets.createTarget, { ...target, address: '' }, 'address', /at least 1/],
    [targets.createTarget, { ...target, name: '\u2060\u200b' }, 'name', 'Required'],
    [targets.createTarget, { ...target, schedule: 'PERIOD_DAILY' }, 'schedule', 'Expected object, received string'],
    [
      issues.listIssues,
      { filter: 'x' },
      'filter',
      /received string\. In a query, use filter\.FIELD=VALUE with one of: scanId,/,
    ],
    [targets.createTarget, { ...target, schedule: {} }, 'schedule.period', 'Required'],
    [targets.createTarget, { ...target, schedule: undefined }, 'schedule', 'Required'],
    [targets.createTarget, { ...target, schedule: { ...target.schedule, perod: 1 } }, 'schedule', /^Unknown field/],
    [targets.updateTarget, { ...changed({}), updateMask: { paths: ['name'], path: 'x' } }, 'updateMask', /^Unknown/],
    [watchProduct, { name: 'x', wfn: { vendor: 'x', product: 'y', verison: '1' } }, 'wfn', /^Unknown field/],
    [
      updateWorkspace,
      retention({ historyDays: 90, evidenceDays: null, auditDays: null, days: 1 }),
      'workspace.retention',
      /^Unknown field/,
    ],
    [targets.createTarget, { ...target, agent: { id: 'x' } }, 'agent.id', /Invalid/],
    [targets.createTarget, { ...target, tags: [{ id: 'x' }] }, 'tags.0.id', /Invalid/],
    [targets.updateTarget, { ...changed({}), id: 'x' }, 'id', /Invalid/],
    [
      targets.updateTarget,
      { ...changed({}), updateMask: { paths: [] } },
      'updateMask.paths',
      'Array must contain at least 1 element(s)',
    ],
    [targets.parseTargets, { addresses: Array(1001).fill('a') }, 'addresses', /^Array must contain at most 1000 /],
    [targets.updateTarget, changed({ name: '' }), 'name', /at least 1/],
    [targets.updateTarget, changed({ tags: 'x' }), 'tags', 'Expected array, received string'],
    [retestIssue, { id, hostIds: [] }, 'hostIds', /at least 1/],
    [startScan, {}, 'targetId', 'Required'],
    [startScan, { targetId: 'x' }, 'targetId', /Invalid/],
    [changeSubscription, { ...subscription, planId: 'gold' }, 'planId', /^Invalid enum value/],
    [changeSubscription, { ...subscription, numTargets: 0 }, 'numTargets', 'Number must be greater than 0'],
    [changeSubscription, { ...subscription, numTargets: -1 }, 'numTargets', 'Number must be greater than 0'],
    [changeSubscription, { ...subscription, period: 'PERIOD_DAILY' }, 'period', /^Invalid enum value/],
    [issues.setIssueStatus, { id, status: 'STATUS_REGRESSION' }, 'status', /^Invalid enum value/],
    [issues.setIssueStatus, { id }, 'status', 'Required'],
    [issues.listIssues, { filter: { status: 'STATUS_OPEN' } }, 'filter.status.0', /^Invalid enum value/],
    [issues.listIssues, { filter: { verification: 'x' } }, 'filter.verification', /^Invalid enum value/],
    [issues.listIssues, { filter: { scanId: 'x' } }, 'filter.scanId', /Invalid/],
    [issues.listIssues, { filter: { affectedTargetId: 'x' } }, 'filter.affectedTargetId', /Invalid/],
    [issues.listIssues, { filter: { affectedHostId: 'x' } }, 'filter.affectedHostId', /Invalid/],
    [issues.listIssues, { orderBy: 'ORDER_BY_CHANCE' }, 'orderBy', /^Invalid enum value/],
    [insights.scansOverTime, { period: 'PERIOD_DAY' }, 'period', /^Invalid enum value/],
    [createChannel, channel('hooks'), 'channel.webhookUrl', 'Invalid url'],
  ])('%#: $path', ({ input }, given, path, message) => {
    const issuesFound = input.safeParse(given).error?.issues.map((issue) => [issue.path.join('.'), issue.message]) ?? []
    expect(issuesFound).toEqual([[path, typeof message === 'string' ? message : expect.stringMatching(message)]])
  })
})

it('accepts references as the API returns them', () => {
  const tags = [{ id, name: 'web', color: 3 }]
  const { error } = targets.createTarget.input.safeParse({ ...target, agent: { id, name: 'office' }, tags })
  expect(error).toBeUndefined()
})

it.each(['', 'https://pay.example.ch/1'])('accepts %j as the redirect URL of a subscription change', (redirectUrl) => {
  expect(changeSubscription.result.safeParse({ redirectUrl }).success).toBe(true)
})
it('rejects other redirect URLs of a subscription change', () => {
  expect(changeSubscription.result.safeParse({ redirectUrl: 'pay' }).success).toBe(false)
})

it('parses the download flag of a report', () => {
  expect(ReportQuery.parse(fromQueryString('download=true'))).toMatchObject({ download: true })
})

it('round-trips dotted filters and repeated lists through a query string', () => {
  const values = { pageSize: '25', filter: { targetId: id, status: ['A', 'B'] } }
  const query = toQueryString(values)
  expect(query).toBe(`pageSize=25&filter.targetId=${id}&filter.status=A&filter.status=B`)
  expect(fromQueryString(query)).toEqual(values)
})
