import { expect, it } from 'vitest'
import { currentOf, stepperOf, type Steps } from '#onboarding/steps.ts'

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
  expect(shown[1]?.detail).toBe('Skipped')
})
