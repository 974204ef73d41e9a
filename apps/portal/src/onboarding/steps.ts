/** The steps of setting up, in words and in order. */
import type { ResultOf } from '@glacis/contract/endpoint'
import type { getOnboarding } from '@glacis/contract/insights'
import type { Step } from '#ui/stepper.tsx'

export type Steps = ResultOf<typeof getOnboarding>['steps']
export type StepWord = 'target' | 'agent' | 'scan' | 'notifications'
type Key = Steps[number]['key']

export const wordOf: Readonly<Record<Key, StepWord>> = {
  TARGET: 'target',
  AGENT: 'agent',
  SCAN: 'scan',
  NOTIFICATIONS: 'notifications',
}

const words: Readonly<Record<Key, { readonly title: string; readonly detail: string }>> = {
  TARGET: { title: 'Add a target', detail: 'A host, an address or a range' },
  AGENT: { title: 'Choose where to scan from', detail: 'Internet or your network' },
  SCAN: { title: 'Run the first scan', detail: 'Takes 5 to 30 minutes' },
  NOTIFICATIONS: { title: 'Get notified', detail: 'Email, Slack, Discord or webhook' },
}

/** True for a step that needs nothing more. */
export function isOver({ state }: Steps[number]): boolean {
  return state !== 'STATE_OPEN'
}

/** The step to look at: the one that the address names, else the first that is open; none when all are over. */
export function currentOf(steps: Steps, chosen: StepWord | undefined): Steps[number] | undefined {
  return steps.find(({ key }) => wordOf[key] === chosen) ?? steps.find((step) => !isOver(step))
}

/** As the stepper shows them. */
export function stepperOf(steps: Steps, current: Steps[number] | undefined): Step[] {
  return steps.map((step) => ({
    title: words[step.key].title,
    detail: step.state === 'STATE_SKIPPED' ? 'Skipped' : words[step.key].detail,
    state: step === current ? 'current' : isOver(step) ? 'done' : 'open',
  }))
}
