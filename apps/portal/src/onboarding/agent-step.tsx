/** Second step: where to scan from. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { pollUntilAnyConnected } from '#agents/queries.ts'
import type { StepNavigation } from '#onboarding/onboarding.tsx'
import { StepHead } from '#onboarding/step-head.tsx'
import { RadioCard } from '#ui/radio-card.tsx'

interface AgentStepProps {
  readonly renderNavigation: StepNavigation
  /** Inline setup of an agent, rendered by the `agents` module. */
  readonly setup: ReactNode
  /** Assignment of targets to the connected agent, rendered by the `targets` module. */
  readonly renderTargets: (agent: { readonly id: string; readonly name: string }) => ReactNode
}

/** Preselects scanning from inside if an agent exists. */
export function AgentStep({ renderNavigation, setup, renderTargets }: AgentStepProps) {
  const agents = useQuery(pollUntilAnyConnected()).data?.agents ?? []
  const connected = agents.find(({ status }) => status === 'STATUS_CONNECTED')
  const [chosen, setChosen] = useState<'internet' | 'inside'>()
  const from = chosen ?? (agents.length > 0 ? 'inside' : 'internet')
  return (
    <>
      <StepHead of="AGENT" />
      <div role="radiogroup" aria-label="Where to scan from" className="grid gap-2.5">
        <RadioCard
          name="from"
          roomy
          label="From the internet"
          hint="Sees what an external attacker sees. Nothing to install."
          checked={from === 'internet'}
          onChange={() => setChosen('internet')}
        />
        <RadioCard
          name="from"
          roomy
          label="From inside your network"
          hint="Scans private ranges through an agent, which needs only outbound HTTPS."
          checked={from === 'inside'}
          onChange={() => setChosen('inside')}
        />
      </div>
      {from === 'inside' && setup}
      {from === 'inside' && connected && renderTargets(connected)}
      {renderNavigation({ isReady: from === 'internet' || connected !== undefined })}
    </>
  )
}
