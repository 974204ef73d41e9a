import { describe, expect, it } from 'vitest'
import { z } from 'zod/mini'
import { Subscription } from '#subscription.ts'
import { Agent } from '#agent.ts'
import { Channel } from '#channel.ts'
import * as identity from '#identity.ts'
import { DependencyGraph, GraphLink, GraphNode, SeveritySeries, StatusSeries, ValueSeries } from '#insights.ts'
import { Host, InventoryItem } from '#host.ts'
import { NamedSoftware, Product, watchProduct, Wfn } from '#product.ts'
import { AffectedHost, HistoryEntry, Issue } from '#issue.ts'
import { PortalConfig } from '#portal-config.ts'
import { ApiErrorBody, Duration, Id, Name, SeverityCount, ShortName, Timestamp, UrlOrEmpty } from '#primitives.ts'
import { Scan } from '#scan.ts'
import { Tag } from '#tag.ts'
import { Target } from '#target.ts'
import { Reference, Severity, Threat } from '#threat.ts'

const id = '6f1c2f5e-0f0b-4a53-9a55-1b1f3f2f7c01'
const time = '2026-11-21T12:00:00Z'
const times = { createTime: time, updateTime: time }
const seenTimes = { firstSeenTime: time, lastSeenTime: time }
const wfnMembers =
  'part vendor product version update edition language softwareEdition targetSoftware targetHardware other text'.split(
    ' ',
  )
const wfn = Object.fromEntries(wfnMembers.map((name) => [name, '']))
const named = { id, name: 'x' }
const target = {
  ...named,
  address: '127.0.0.1',
  tags: [],
  schedule: { period: 'PERIOD_DAILY' },
  issueCount: {},
  ...times,
}
const host = { id, address: '127.0.0.1', inventory: [{ wfn }], ...times }
const threat = {
  ...named,
  summary: '',
  impact: '',
  affected: '',
  insight: '',
  severity: { cvss: '', score: 9.8, category: 'CATEGORY_CRITICAL' },
  references: [],
}
const history = [{ status: 'STATUS_OPEN', timestamp: time }]
const traits = { email: 'nora@example.ch', name: { first: 'Nora', last: 'Ammann' } }
const account = { id: 'i', traits }
const text = { text: 'x' }
const quota = { total: 25, used: 3 }
const rule = { events: ['EVENT_ISSUE_OPENED'], minSeverity: 7 }
const at = { timestamps: [time] }

/** Required and optional fields of each schema. */
const schemas: readonly (readonly [name: string, schema: z.ZodMiniObject, required: object, optional: string])[] = [
  [
    'session',
    identity.Session,
    { id: 's', active: true, expires_at: time, authenticated_at: time, identity: account },
    'devices',
  ],
  ['device of a session', identity.Device, {}, 'ip_address user_agent'],
  ['identity', identity.Identity, account, 'verifiable_addresses'],
  ['traits', identity.Traits, traits, ''],
  ['name of a person', identity.Traits.shape.name, traits.name, ''],
  ['verifiable address', identity.VerifiableAddress, { value: 'x', verified: true }, ''],
  ['flow', identity.Flow, { id: 'f', ui: { action: 'x', method: 'POST', nodes: [] } }, ''],
  ['form of a flow', identity.Flow.shape.ui, { action: 'x', method: 'POST', nodes: [] }, 'messages'],
  ['message', identity.Message, { id: 1, text: 'x' }, ''],
  ['flow error', identity.FlowError, { error: {} }, 'redirect_browser_to'],
  [
    'input of a form',
    identity.InputNode.shape.attributes,
    { name: 'x', type: 'text' },
    'value required disabled autocomplete onclick label',
  ],
  ['link of a form', identity.AnchorNode.shape.attributes, { href: 'x', title: text }, ''],
  ['image of a form', identity.ImageNode.shape.attributes, { src: 'x' }, ''],
  ['text of a form', identity.TextNode.shape.attributes, { text }, ''],
  [
    'script of a form',
    identity.ScriptNode.shape.attributes,
    { src: 'x' },
    'async crossorigin integrity referrerpolicy type',
  ],
  ['agent', Agent, { ...named, status: 'STATUS_CONNECTED', ...times }, 'token latency lastSeenTime'],
  ['tag', Tag, { ...named, color: 3 }, ''],
  ['product', Product, { ...named, version: '1', wfn, minNotificationSeverity: 7, ...times }, ''],
  ['well-formed name', Wfn, wfn, ''],
  ['named software', NamedSoftware, { name: 'x', wfn }, ''],
  ['host', Host, host, 'target issueCount'],
  ['software on a host', InventoryItem, { wfn }, 'product'],
  ['target', Target, target, 'agent'],
  [
    'scan',
    Scan,
    { id, type: 'TYPE_MANUAL', status: 'STATUS_CREATED', issueCount: {}, hostCount: {}, ...times },
    'target completeTime',
  ],
  ['hosts of a scan', Scan.shape.hostCount, {}, 'scannedHosts affectedHosts'],
  [
    'issue',
    Issue,
    { ...named, status: 'STATUS_OPEN', threat, affectedHosts: [], history, ...seenTimes },
    'ignoreTime resolveTime',
  ],
  [
    'affected host',
    AffectedHost,
    { target, host, status: 'STATUS_OPEN', history, ...seenTimes },
    'ignoreTime resolveTime',
  ],
  ['entry of a history', HistoryEntry, { status: 'STATUS_OPEN', timestamp: time }, ''],
  ['threat', Threat, threat, 'solution'],
  ['severity', Severity, threat.severity, ''],
  ['solution', Threat.shape.solution.def.innerType, { kind: 'KIND_NONE', description: '' }, ''],
  [
    'channel',
    Channel,
    { id, kind: 'KIND_WEBHOOK', webhookUrl: '', rule, isEnabled: true, failureCount: 0, ...times },
    '',
  ],
  [
    'subscription',
    Subscription,
    { plan: { id: 'free', name: 'Free' }, period: 'PERIOD_MONTHLY', quota: { targets: quota, manualScans: quota } },
    'periodEndTime cancelTime',
  ],
  ['quota', Subscription.shape.quota.shape.targets, quota, ''],
  ['counts by severity', SeveritySeries, { ...at, critical: [1], high: [1], medium: [1], low: [1] }, ''],
  ['counts by status', StatusSeries, { ...at, open: [1], resolved: [1], ignored: [1], regressive: [1] }, ''],
  ['counts over time', ValueSeries, { ...at, values: [1] }, ''],
  ['graph', DependencyGraph, { nodes: [], links: [] }, ''],
  ['node of the graph', GraphNode, { id: 'n', name: 'x', kind: 'KIND_TOMORROW' }, ''],
  ['link of the graph', GraphLink, { sourceNodeId: 'a', targetNodeId: 'b' }, ''],
  ['API error', ApiErrorBody, { code: 3, message: 'no' }, 'details'],
  [
    'configuration of the portal',
    PortalConfig,
    {
      apiUrl: '',
      portalUrl: '',
      identityUrl: '',
      apiDocsUrl: '',
      releaseNotesUrl: '',
      licenceUrl: '',
      helpUrl: '',
      supportEmail: '',
      botChallengeSiteKey: '',
      version: '',
      billing: true,
    },
    '',
  ],
]

describe.each(schemas)('%s', (_, schema, required, optional) => {
  const accepts = (value: object) => schema.safeParse(value).success
  it('parses the required fields alone', () => {
    expect(schema.safeParse(required).error?.issues ?? []).toEqual([])
  })
  it('rejects a missing required field', () => {
    const without = (name: string) => Object.fromEntries(Object.entries(required).filter(([other]) => other !== name))
    expect(Object.keys(required).filter((name) => accepts(without(name)))).toEqual([])
  })
  it('accepts optional fields of the right type', () => {
    const names = optional.split(' ').filter(Boolean)
    expect(names.filter((name) => accepts({ ...required, [name]: Number.NaN }))).toEqual([])
  })
})

it('has twelve attributes in a well-formed name', () => {
  expect(Object.keys(Wfn.shape)).toEqual(wfnMembers)
})

it('limits the attributes of a watched product by bytes, not characters', () => {
  const watch = (product: string) => watchProduct.input.safeParse({ name: 'x', wfn: { vendor: 'x', product } })
  expect(watch('a'.repeat(799)).success).toBe(true)
  expect(watch('\u0301'.repeat(400)).error?.issues).toMatchObject([
    { path: ['wfn'], message: 'The attributes of wfn must not exceed 800 bytes in total' },
  ])
})

it('defaults missing counts to zero', () => {
  expect(SeverityCount.parse({ high: 2 })).toEqual({ critical: 0, high: 2, medium: 0, low: 0 })
  expect(Scan.shape.hostCount.parse({})).toEqual({ scannedHosts: 0, affectedHosts: 0 })
})

it.each<[string, z.ZodMiniType, readonly unknown[], readonly unknown[]]>([
  ['a name', Name, ['x', 'x'.repeat(128)], ['', 'x'.repeat(129), 7]],
  ['a short name', ShortName, ['x', ' é '], ['', ' ', 'x'.repeat(41), 'a\nb', 'a\u001b[2J', 'a\u202eb']],
  ['an id', Id, [id], ['', 'x', '42']],
  ['a timestamp', Timestamp, [time, '2026-11-21T12:00:00.123456+01:00'], ['2026-11-21', '21.11.2026', 1_763_726_400]],
  ['a duration', Duration, ['3s', '3.5s', '-0.25s'], ['3', '3.s', '3,5s', '1e3s', 's', '3.5 s', 3.5]],
  ['a URL or an empty string', UrlOrEmpty, ['', 'https://example.ch/x'], ['example', 'javascript:alert(1)']],
  ['a reference', Reference, [{ url: 'https://x.ch' }, { cve: 'CVE-2024-1' }], [{}, { name: 'x' }, 'x']],
  ['the email of a user', identity.Traits.shape.email, ['a@b.ch'], ['', 'nora', 'a b@c.ch', 'a@b@c.ch']],
])('%s accepts valid and rejects invalid values', (_, schema, good, bad) => {
  const isValid = (value: unknown) => schema.safeParse(value).success
  expect([good.map(isValid), bad.map(isValid)]).toEqual([good.map(() => true), bad.map(() => false)])
})
