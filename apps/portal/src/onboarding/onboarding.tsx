/** `/onboarding`: setup guide in four steps. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { pollMs } from '#api/query.ts'
import { list } from '#channels/queries.ts'
import { outboxText } from '#lib/outbox.ts'
import { steps as stepsQuery } from '#onboarding/queries.ts'
import { useResults } from '#onboarding/results.ts'
import { StepStart, useStepFocus } from '#onboarding/step-head.tsx'
import { currentStep, toStepperSteps, type Steps, type StepParam, paramByKey } from '#onboarding/steps.ts'
import { Button, ButtonLink } from '#ui/button.tsx'
import { Note } from '#ui/note.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { Stepper } from '#ui/stepper.tsx'

const route = getRouteApi('/_auth/onboarding')

/** Renders the navigation below a step. `isReady` is true once the step is complete. */
export type StepNavigation = (state: { readonly isReady: boolean }) => ReactNode
type StepContent = (renderNavigation: StepNavigation) => ReactNode

/** The content of each step, rendered by the modules of their nouns. */
interface OnboardingPageProps extends Readonly<Record<StepParam, StepContent>> {
  /** Status of the feeds. */
  readonly knowledge: ReactNode
}

export function OnboardingPage(content: OnboardingPageProps) {
  const chosen = route.useSearch().step
  const steps = useQuery({ ...stepsQuery(), refetchInterval: pollMs }).data?.steps ?? []
  const current = currentStep(steps, chosen)
  const results = useResults()
  useStepFocus(current?.key)
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title="Set up Glacis"
        description="Four steps to your first results. You can leave and come back at any time."
        actions={
          <ButtonLink to="/overview" variant="ghost" size="sm">
            {current ? 'Skip for now' : 'Close'}
          </ButtonLink>
        }
      />
      <div className="mt-4.5 grid grow border-t border-line max-md:content-start md:grid-cols-[300px_minmax(0,1fr)]">
        <div className="border-line px-(--gl-gutter) pt-7 md:border-r">
          <Stepper label="Setup steps" steps={toStepperSteps(steps, current, results)} />
        </div>
        <div className="px-(--gl-gutter) py-7 md:pl-10">
          <div className="grid max-w-[520px] content-start gap-5.5">
            {current ? <StepView key={current.key} steps={steps} current={current} content={content} /> : <Finished />}
            {content.knowledge}
          </div>
        </div>
      </div>
    </div>
  )
}

interface StepViewProps {
  readonly steps: Steps
  readonly current: Steps[number]
  readonly content: OnboardingPageProps
}
function StepView({ steps, current, content }: StepViewProps) {
  const navigate = useNavigate()
  const at = steps.indexOf(current)
  const [before, after] = [steps[at - 1], steps[at + 1]]
  const go = (step: Steps[number] | undefined) =>
    void navigate({ to: '/onboarding', search: { step: step && paramByKey[step.key] } })
  const isOptional = current.key === 'AGENT' || current.key === 'NOTIFICATIONS'
  const renderNavigation: StepNavigation = ({ isReady }) => (
    <div className="flex items-center justify-between gap-3">
      {before ? (
        <Button variant="ghost" icon={<ArrowLeft />} onClick={() => go(before)}>
          Back
        </Button>
      ) : (
        <span />
      )}
      {(isReady || isOptional) && (
        <Button variant={isReady ? 'primary' : 'secondary'} onClick={() => go(after)}>
          {isReady ? (after ? 'Continue' : 'Finish') : 'Skip'}
        </Button>
      )}
    </div>
  )
  return content[paramByKey[current.key]](renderNavigation)
}

function Finished() {
  const channels = useQuery(list()).data?.channels ?? []
  const isNotifying = channels.some(({ kind, isEnabled }) => isEnabled && !(kind === 'KIND_EMAIL' && outboxText()))
  return (
    <>
      <StepStart>
        <Note variant="green">
          <p>
            <strong className="font-semibold">Glacis is set up.</strong> It scans your targets on their schedules
            {isNotifying && ' and notifies you of changes'}.
          </p>
        </Note>
      </StepStart>
      <div className="flex flex-wrap gap-2">
        <ButtonLink to="/risks/verified" variant="primary">
          View risks
        </ButtonLink>
        <ButtonLink to="/scans" variant="secondary">
          Open reporting
        </ButtonLink>
      </div>
    </>
  )
}
