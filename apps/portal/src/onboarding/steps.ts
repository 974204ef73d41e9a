/** The steps of setting up, in words and in order. */
import type { ResultOf } from '@glacis/contract/endpoint'
import type { getOnboarding } from '@glacis/contract/insights'
import { formatNumber } from '#lib/format.ts'
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

/** What was done in steps that are over, such as the address of a target, in a few words. */
export type Results = Partial<Readonly<Record<Key, string>>>

/**
 * As the stepper shows them. An agent that nobody made by the time a later step is looked at is a choice too: the
 * internet needs nothing.
 */
export function stepperOf(steps: Steps, current: Steps[number] | undefined, results: Results = {}): Step[] {
  const at = current ? steps.indexOf(current) : steps.length
  return steps.map((step, index) => {
    const isInternet = step.key === 'AGENT' && step.state !== 'STATE_DONE'
    const isDone = isOver(step) || (isInternet && index < at)
    const result = isInternet ? 'From the internet' : results[step.key]
    return {
      title: words[step.key].title,
      detail: isDone && step !== current && result ? result : words[step.key].detail,
      state: step === current ? 'current' : isDone ? 'done' : 'open',
    }
  })
}

/** The first by name, and how many more: "www.example.ch and 2 more". */
export function someOf(names: readonly string[]): string | undefined {
  const [first, ...more] = names
  return first && (more.length > 0 ? `${first} and ${formatNumber(more.length)} more` : first)
}
