import { expect, it } from 'vitest'
import { currentOf, someOf, stepperOf, type Steps } from '#onboarding/steps.ts'

const steps: Steps = [
  { key: 'TARGET', state: 'STATE_DONE' },
  { key: 'AGENT', state: 'STATE_SKIPPED' },
  { key: 'SCAN', state: 'STATE_OPEN' },
  { key: 'NOTIFICATIONS', state: 'STATE_OPEN' },
]

it('goes on with the first step that is open', () => {
  expect(currentOf(steps, undefined)?.key).toBe('SCAN')
  expect(currentOf(steps, 'notifications')?.key).toBe('NOTIFICATIONS')
  expect(currentOf(steps.slice(0, 2), undefined)).toBeUndefined()
})

it('shows what is done, what is meant now and what waits', () => {
  const shown = stepperOf(steps, currentOf(steps, undefined))
  expect(shown.map(({ state }) => state)).toEqual(['done', 'done', 'current', 'open'])
})

it('says of a step that is over what was done, and of others what they ask for', () => {
  const shown = stepperOf(steps, currentOf(steps, undefined), { TARGET: 'www.example.ch', SCAN: 'Public web' })
  expect(shown.map(({ detail }) => detail)).toEqual([
    'www.example.ch',
    'From the internet',
    'Takes 5 to 30 minutes',
    'Email, Slack, Discord or webhook',
  ])
})

it('takes going on without an agent for the choice of the internet', () => {
  const open = steps.map((step) => (step.key === 'AGENT' ? { ...step, state: 'STATE_OPEN' as const } : step))
  const stateAt = (step: 'target' | 'scan') => stepperOf(open, currentOf(open, step))[1]?.state
  expect([stateAt('target'), stateAt('scan')]).toEqual(['open', 'done'])
})

it.each([
  [[], undefined],
  [['a.ch'], 'a.ch'],
  [['a.ch', 'b.ch', 'c.ch'], 'a.ch and 2 more'],
])('says of %j: %s', (names, words) => {
  expect(someOf(names)).toBe(words)
})
