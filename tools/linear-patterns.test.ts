import { expect, it } from 'vitest'
import {
  checkerVersion,
  attackOn,
  exempt,
  exemptionOf,
  findPatterns,
  isBounded,
  literalOf,
  proofs,
  refute,
  repeats,
  textOf,
} from './linear-patterns.ts'

const patterns = findPatterns()
const checked = patterns.filter((pattern) => exemptionOf(pattern) === undefined)

it('finds the patterns, and every exemption still applies', () => {
  expect(patterns.length).toBeGreaterThan(300)
  expect(new Set(patterns.map(exemptionOf).filter(Boolean))).toEqual(new Set(Object.keys(exempt)))
  expect(proofs.recheck).toBe(checkerVersion)
})

it('refutes a pattern that takes quadratic or exponential time', () => {
  const pattern = (source: string) => ({ source, flags: '', places: [] })
  expect(refute(pattern('\\s+$'))).toContain('2nd degree')
  expect(refute(pattern('^(?:a+)+$'))).toContain('exponential')
  expect(isBounded(pattern('a{1,3}b[*+]\\*'))).toBe(true)
  expect(isBounded(pattern('a{1,}'))).toBe(false)
})

it('SEC-D1 native patterns with unlimited repetition take linear time', { timeout: 180_000 }, () => {
  const proven = new Set(proofs.linear)
  const reasons = checked
    .filter((pattern) => !isBounded(pattern) && !proven.has(literalOf(pattern)))
    .map((pattern) => [pattern.places, literalOf(pattern), refute(pattern)])
  expect(reasons.filter(([, , reason]) => reason !== null)).toEqual([])
})

/** The largest text of a target that these patterns read. */
const lengthMax = 64 * 1024
/** Processor time of the fastest attempt, a fifth of what the watchdog allows. */
const patternMsMax = 400
const attempts = 3

it('SEC-D1 native patterns with limited repetition are fast on their worst input', { timeout: 180_000 }, () => {
  const slow = checked
    .filter((pattern) => isBounded(pattern) && repeats(pattern))
    .map((pattern) => ({ place: pattern.places[0], ms: worstMs(pattern) }))
    .filter(({ ms }) => ms > patternMsMax)
  expect(slow).toEqual([])
})

function worstMs(pattern: (typeof patterns)[number]): number {
  const known = proofs.attacks[literalOf(pattern)]
  const attack = known === undefined ? attackOn(pattern) : known
  const text = attack ? textOf(attack, lengthMax) : 'a'.repeat(lengthMax)
  const regex = new RegExp(pattern.source, pattern.flags)
  const times = Array.from({ length: attempts }, () => {
    const { user } = process.cpuUsage()
    text.replace(regex, '')
    return (process.cpuUsage().user - user) / 1000
  })
  return Math.min(...times)
}
