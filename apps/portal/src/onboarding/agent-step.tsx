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

/** Preselects another network if an agent exists. */
export function AgentStep({ renderNavigation, setup, renderTargets }: AgentStepProps) {
  const agents = useQuery(pollUntilAnyConnected()).data?.agents ?? []
  const connected = agents.find(({ status }) => status === 'STATUS_CONNECTED')
  const [chosen, setChosen] = useState<'server' | 'agent'>()
  const from = chosen ?? (agents.length > 0 ? 'agent' : 'server')
  return (
    <>
      <StepHead of="AGENT" />
      <div role="radiogroup" aria-label="Where to scan from" className="grid gap-2.5">
        <RadioCard
          name="from"
          roomy
          label="From this server"
          hint="Scans everything that this server can reach. Nothing to install."
          checked={from === 'server'}
          onChange={() => setChosen('server')}
        />
        <RadioCard
          name="from"
          roomy
          label="From another network"
          hint="Scans networks that this server can't reach, through an agent that needs only outbound HTTPS."
          checked={from === 'agent'}
          onChange={() => setChosen('agent')}
        />
      </div>
      {from === 'agent' && setup}
      {from === 'agent' && connected && renderTargets(connected)}
      {renderNavigation({ isReady: from === 'server' || connected !== undefined })}
    </>
  )
}
