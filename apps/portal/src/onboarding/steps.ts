/** Labels and states of the onboarding steps. */
import type { ResultOf } from '@glacis/contract/endpoint'
import type { getOnboarding } from '@glacis/contract/insights'
import { formatNumber } from '#lib/format.ts'
import type { Step } from '#ui/stepper.tsx'

export type Steps = ResultOf<typeof getOnboarding>['steps']
export type StepParam = 'target' | 'agent' | 'scan' | 'notifications'
type Key = Steps[number]['key']

export const paramByKey: Readonly<Record<Key, StepParam>> = {
  TARGET: 'target',
  AGENT: 'agent',
  SCAN: 'scan',
  NOTIFICATIONS: 'notifications',
}

const labels: Readonly<Record<Key, { readonly title: string; readonly detail: string }>> = {
  TARGET: { title: 'Add a target', detail: 'A host, address, or range' },
  AGENT: { title: 'Choose where to scan from', detail: 'This server or another network' },
  SCAN: { title: 'Run the first scan', detail: 'Usually less than a minute per host' },
  NOTIFICATIONS: { title: 'Turn on notifications', detail: 'Email, Slack, Discord, or webhook' },
}

/** True for a completed or skipped step. */
export function isOver({ state }: Steps[number]): boolean {
  return state !== 'STATE_OPEN'
}

/** The step to show: the one in the URL, else the first open one. Undefined when all are over. */
export function currentStep(steps: Steps, chosen: StepParam | undefined): Steps[number] | undefined {
  return steps.find(({ key }) => paramByKey[key] === chosen) ?? steps.find((step) => !isOver(step))
}

/** Summaries of completed steps, such as the address of a target. */
export type Results = Partial<Readonly<Record<Key, string>>>

/**
 * The steps as shown in the stepper. Reaching a later step without an agent counts as choosing to scan from
 * the server.
 */
export function toStepperSteps(steps: Steps, current: Steps[number] | undefined, results: Results = {}): Step[] {
  const at = current ? steps.indexOf(current) : steps.length
  return steps.map((step, index) => {
    const isFromServer = step.key === 'AGENT' && step.state !== 'STATE_DONE'
    const isDone = isOver(step) || (isFromServer && index < at)
    const result = isFromServer ? 'From this server' : results[step.key]
    return {
      title: labels[step.key].title,
      detail: isDone && step !== current && result ? result : labels[step.key].detail,
      state: step === current ? 'current' : isDone ? 'done' : 'open',
    }
  })
}

/** The first name and the number of others: "www.example.ch and 2 more". */
export function summarizeNames(names: readonly string[]): string | undefined {
  const [first, ...more] = names
  return first && (more.length > 0 ? `${first} and ${formatNumber(more.length)} more` : first)
}
