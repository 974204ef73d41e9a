import { describe, expect, it } from 'vitest'
import { addressProblem, maskedAddress, ruleWords, usualRule } from '#channels/words.ts'

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
