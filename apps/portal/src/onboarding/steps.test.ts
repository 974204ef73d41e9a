import { expect, it } from 'vitest'
import { currentStep, summarizeNames, toStepperSteps, type Steps } from '#onboarding/steps.ts'

const steps: Steps = [
  { key: 'TARGET', state: 'STATE_DONE' },
  { key: 'AGENT', state: 'STATE_SKIPPED' },
  { key: 'SCAN', state: 'STATE_OPEN' },
  { key: 'NOTIFICATIONS', state: 'STATE_OPEN' },
]

it('continues with the first open step', () => {
  expect(currentStep(steps, undefined)?.key).toBe('SCAN')
  expect(currentStep(steps, 'notifications')?.key).toBe('NOTIFICATIONS')
  expect(currentStep(steps.slice(0, 2), undefined)).toBeUndefined()
})

it('marks steps as done, current, or open', () => {
  const shown = toStepperSteps(steps, currentStep(steps, undefined))
  expect(shown.map(({ state }) => state)).toEqual(['done', 'done', 'current', 'open'])
})

it('shows results for completed steps and hints for the others', () => {
  const shown = toStepperSteps(steps, currentStep(steps, undefined), { TARGET: 'www.example.ch', SCAN: 'Public web' })
  expect(shown.map(({ detail }) => detail)).toEqual([
    'www.example.ch',
    'From this server',
    'Usually less than a minute per host',
    'Email, Slack, Discord, or webhook',
  ])
})

it('treats continuing without an agent as choosing the server', () => {
  const open = steps.map((step) => (step.key === 'AGENT' ? { ...step, state: 'STATE_OPEN' as const } : step))
  const stateAt = (step: 'target' | 'scan') => toStepperSteps(open, currentStep(open, step))[1]?.state
  expect([stateAt('target'), stateAt('scan')]).toEqual(['open', 'done'])
})

it.each([
  [[], undefined],
  [['a.ch'], 'a.ch'],
  [['a.ch', 'b.ch', 'c.ch'], 'a.ch and 2 more'],
])('summarizes %j as %s', (names, expected) => {
  expect(summarizeNames(names)).toBe(expected)
})
