import { describe, expect, it } from 'vitest'
import { addressProblem, maskedAddress, ruleWords, trouble, usualRule } from '#channels/words.ts'

describe('an address', () => {
  it.each([
    ['', undefined],
    ['https://hooks.example.ch/x', undefined],
    ['hooks.example.ch/x', 'Enter a full URL that starts with https://, or leave it empty to turn the channel off.'],
    ['javascript:alert(1)', 'Enter a full URL that starts with https://, or leave it empty to turn the channel off.'],
  ])('%j says %s', (address, problem) => expect(addressProblem(address)).toBe(problem))

  it('is shown without the part that is a secret', () => {
    expect(maskedAddress('https://hooks.example.ch/services/T0/B0/abcdefgh1234')).toBe('https://hooks.example.ch/…1234')
    expect(maskedAddress('https://example.ch/x')).toBe('https://example.ch')
  })
})

describe('a rule in words', () => {
  it.each([
    [usualRule, 'High and above · 5 kinds of events'],
    [{ events: ['EVENT_SCAN_FAILED' as const], minSeverity: 9.8, tagIds: [] }, 'Critical only · Scan failed'],
  ])('reads %j as %s', (rule, words) => expect(ruleWords(rule)).toBe(words))
})

describe('a channel that does not deliver', () => {
  const time = '2026-11-20T08:00:00Z'
  const delivery = { id: 'd', createTime: time, kind: 'EVENT_SCAN_FAILED' as const, attempts: 1 }
  const channelWith = (more: object) =>
    ({ isEnabled: true, failureCount: 0, ...more }) as unknown as Parameters<typeof trouble>[0]
  it.each<[object, string | undefined]>([
    [{}, undefined],
    [{ lastDelivery: { ...delivery, state: 'STATE_DELIVERED', error: '' } }, undefined],
    [{ lastDelivery: { ...delivery, state: 'STATE_PENDING', error: '' } }, undefined],
    [
      { lastDelivery: { ...delivery, state: 'STATE_PENDING', error: 'The server answered 500' } },
      'Not delivered so far, and tried again: The server answered 500',
    ],
    [
      { failureCount: 2, lastDelivery: { ...delivery, state: 'STATE_FAILED', error: 'The server answered 500' } },
      'The last 2 deliveries failed: The server answered 500',
    ],
    [{ isEnabled: false, failureCount: 20 }, 'Paused after 20 deliveries that failed'],
  ])('%j: %s', (more, words) => expect(trouble(channelWith(more))).toBe(words))
})
