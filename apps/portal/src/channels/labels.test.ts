import { describe, expect, it } from 'vitest'
import { urlError, maskUrl, formatRule, deliveryProblem, defaultRule } from '#channels/labels.ts'

describe('urlError', () => {
  it.each([
    ['', undefined],
    ['https://hooks.example.ch/x', undefined],
    ['hooks.example.ch/x', 'Enter a full URL that starts with https://, or leave it empty to turn the channel off.'],
    ['javascript:alert(1)', 'Enter a full URL that starts with https://, or leave it empty to turn the channel off.'],
  ])('validates %j: %s', (address, problem) => expect(urlError(address)).toBe(problem))

  it('is masked by maskUrl', () => {
    expect(maskUrl('https://hooks.example.ch/services/T0/B0/abcdefgh1234')).toBe('https://hooks.example.ch/…1234')
    expect(maskUrl('https://example.ch/x')).toBe('https://example.ch')
  })
})

describe('formatRule', () => {
  it.each([
    [defaultRule, 'High and above · 5 event types'],
    [{ events: ['EVENT_SCAN_FAILED' as const], minSeverity: 9.8, tagIds: [] }, 'Critical only · Scan failed'],
  ])('summarizes %j as %s', (rule, expected) => expect(formatRule(rule)).toBe(expected))
})

describe('deliveryProblem', () => {
  const time = '2026-11-20T08:00:00Z'
  const delivery = { id: 'd', createTime: time, kind: 'EVENT_SCAN_FAILED' as const, attempts: 1 }
  const channelWith = (more: object) =>
    ({ isEnabled: true, failureCount: 0, ...more }) as unknown as Parameters<typeof deliveryProblem>[0]
  it.each<[object, string | undefined]>([
    [{}, undefined],
    [{ lastDelivery: { ...delivery, state: 'STATE_DELIVERED', error: '' } }, undefined],
    [{ lastDelivery: { ...delivery, state: 'STATE_PENDING', error: '' } }, undefined],
    [
      { lastDelivery: { ...delivery, state: 'STATE_PENDING', error: 'The server answered 500' } },
      'Delivery failed and will be retried: The server answered 500',
    ],
    [
      { failureCount: 2, lastDelivery: { ...delivery, state: 'STATE_FAILED', error: 'The server answered 500' } },
      'The last 2 deliveries failed: The server answered 500',
    ],
    [{ isEnabled: false, failureCount: 1 }, 'Paused after a failed delivery. Check the delivery log, then resume.'],
    [{ isEnabled: false, failureCount: 20 }, 'Paused after 20 failed deliveries. Check the delivery log, then resume.'],
  ])('describes %j as %s', (more, expected) => expect(deliveryProblem(channelWith(more))).toBe(expected))
})
