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
  const [chosen, setChosen] = useState<'here' | 'inside'>()
  const from = chosen ?? (agents.length > 0 ? 'inside' : 'here')
  return (
    <>
      <StepHead title="Where should Glacis scan from?">You can mix both. The choice is made per target.</StepHead>
      <div role="radiogroup" aria-label="Where to scan from" className="grid gap-2.5">
        <RadioCard
          name="from"
          roomy
          label="From this server"
          hint="Scans what this machine reaches: the internet and the networks it stands in. Nothing to install."
          checked={from === 'here'}
          onChange={() => setChosen('here')}
        />
        <RadioCard
          name="from"
          roomy
          label="From inside another network"
          hint="Reaches what this machine does not, through an agent. Needs outbound HTTPS only."
          checked={from === 'inside'}
          onChange={() => setChosen('inside')}
        />
      </div>
      {from === 'inside' && setup}
      {from === 'inside' && connected && targetsOf(connected)}
      {wayOn({ isReady: from === 'here' || connected !== undefined })}
    </>
  )
}
