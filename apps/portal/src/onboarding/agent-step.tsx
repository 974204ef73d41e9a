/** The second step: from where scans come. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { all } from '#agents/queries.ts'
import { StepHead } from '#onboarding/step-head.tsx'
import { ButtonLink } from '#ui/button.tsx'
import { RadioCard } from '#ui/field.tsx'
import { Note } from '#ui/note.tsx'

export function AgentStep() {
  const agents = useQuery(all()).data?.agents ?? []
  const connected = agents.find(({ status }) => status === 'STATUS_CONNECTED')
  const [isInside, setIsInside] = useState(false)
  return (
    <>
      <StepHead title="Where should Glacis scan from?">You can mix both. The choice is made per target.</StepHead>
      <div role="radiogroup" aria-label="Where to scan from" className="grid gap-2.5">
        <RadioCard
          name="from"
          label="From the internet"
          hint="Sees what an outsider sees. Nothing to install."
          checked={!isInside && agents.length === 0}
          onChange={() => setIsInside(false)}
        />
        <RadioCard
          name="from"
          label="From inside your network"
          hint="Reaches private ranges through an agent. Needs outbound HTTPS only."
          checked={isInside || agents.length > 0}
          onChange={() => setIsInside(true)}
        />
      </div>
      {connected && (
        <Note variant="green">
          <p>
            <strong className="font-semibold">{connected.name} is connected.</strong>
          </p>
        </Note>
      )}
      {(isInside || agents.length > 0) && !connected && (
        <div>
          <ButtonLink to="/agents" search={{ create: agents.length === 0 || undefined }} variant="primary">
            {agents.length === 0 ? 'New agent' : 'See agents'}
          </ButtonLink>
        </div>
      )}
    </>
  )
}
