import { expect, it } from 'vitest'
import { detailText, objectKind, objectLabel } from '#workspaces/audit-labels.ts'

const target = '01a22876-2d0f-7c8b-99d7-b07b4c5d3fc8'
const names = new Map([[target, 'Shop']])

it.each([
  [{ to: 'STATUS_IGNORED', reason: 'REASON_ACCEPTED_RISK' }, 'to: ignored, reason: accepted risk'],
  [{ targetId: target, ignoresHours: true }, 'target: Shop, ignores hours: yes'],
  [{ sourceHostIds: ['01a22876-2d0f-7c8b-99d7-b07b4c5d3fc9'] }, 'source hosts: 01a22876…'],
  [
    { paths: ['isEnabled', 'webhookUrl', 'schedule.allowedHours'] },
    'changed: enabled, webhook URL, and schedule allowed hours',
  ],
  [{ columns: ['name', 'severity', 'score'] }, 'columns: name, severity, and score'],
  [{ filter: { scanId: target, status: ['STATUS_FILTER_OPEN'] } }, 'filter: (scan: Shop, status: open)'],
  [{ name: 'iPhone at shop.example', networks: [], reason: '', filter: {} }, 'name: iPhone at shop.example'],
  [{ memberCount: 3, userAgent: 'Mozilla/5.0' }, 'member count: 3'],
])('describes %j as %j', (detail, text) => {
  expect(detailText(detail, names)).toBe(text)
})

it.each([
  ['issue', 'risk'],
  ['api-token', 'API token'],
  ['email-domain', 'email domain'],
  ['target', 'target'],
])('names %s %s, and finds it by that name', (kind, label) => {
  expect([objectLabel(kind), objectKind(` ${label} `), objectKind(kind)]).toEqual([label, kind, kind])
})
