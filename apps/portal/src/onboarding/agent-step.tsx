/** The second step: from where scans come. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { anyAwaited } from '#agents/queries.ts'
import type { WayOn } from '#onboarding/onboarding.tsx'
import { StepHead } from '#onboarding/step-head.tsx'
import { RadioCard } from '#ui/radio-card.tsx'

interface AgentStepProps {
  readonly wayOn: WayOn
  /** Where an agent is named, installed and awaited, which belongs to the room of agents. */
  readonly setup: ReactNode
  /** What the agent that is there scans, which belongs to the room of targets. */
  readonly targetsOf: (agent: { readonly id: string; readonly name: string }) => ReactNode
}

/** Whoever has an agent means it until they choose otherwise. */
export function AgentStep({ wayOn, setup, targetsOf }: AgentStepProps) {
  const agents = useQuery(anyAwaited()).data?.agents ?? []
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
          hint="Sees what an outsider sees. Nothing to install."
          checked={from === 'internet'}
          onChange={() => setChosen('internet')}
        />
        <RadioCard
          name="from"
          roomy
          label="From inside your network"
          hint="Reaches private ranges through an agent. Needs outbound HTTPS only."
          checked={from === 'inside'}
          onChange={() => setChosen('inside')}
        />
      </div>
      {from === 'inside' && setup}
      {from === 'inside' && connected && targetsOf(connected)}
      {wayOn({ isReady: from === 'internet' || connected !== undefined })}
    </>
  )
}
