/** Inline setup of an agent: name, installation, and connection. */
import type { Agent } from '@glacis/contract/agent'
import { useMutation, type UseMutationResult, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ConnectedNote, InstallSteps } from '#agents/install-agent.tsx'
import { NameField, useAgentName } from '#agents/name-field.tsx'
import { pollUntilAnyConnected, create } from '#agents/queries.ts'
import { RotateToken } from '#agents/rotate-token.tsx'
import { Button } from '#ui/button.tsx'
import { TextField } from '#ui/field.tsx'

/** Continues with an existing agent, or asks for the name of a new one. */
export function AgentSetup() {
  const agents = useQuery(pollUntilAnyConnected()).data?.agents
  // Only the response that creates a token includes it. Both results are kept here because the form unmounts as soon as
  // the list contains the agent.
  const creation = useMutation(create)
  const [rotated, setRotated] = useState<Agent>()
  const [isRotating, setIsRotating] = useState(false)
  const agent = rotated ?? creation.data?.agent ?? agents?.find(isConnected) ?? agents?.[0]
  if (!agent) return agents ? <NewAgent creation={creation} /> : null
  return (
    <div className="grid gap-4.5">
      <TextField label="Agent name" mono readOnly value={agent.name} />
      {isConnected(agent) && !agent.token ? (
        <ConnectedNote agent={agent} />
      ) : (
        <InstallSteps key={agent.token ?? agent.id} agent={agent} onRotate={() => setIsRotating(true)} />
      )}
      {isRotating && (
        <RotateToken
          agent={agent}
          onClose={() => setIsRotating(false)}
          onRotated={(newAgent) => {
            setRotated(newAgent)
            setIsRotating(false)
          }}
        />
      )}
    </div>
  )
}

type CreateMutation = UseMutationResult<{ readonly agent: Agent }, Error, string>

function NewAgent({ creation }: { readonly creation: CreateMutation }) {
  const name = useAgentName('')
  function submit(event: FormEvent): void {
    event.preventDefault()
    const wanted = name.validate()
    if (wanted) creation.mutate(wanted, { onError: name.setServerError })
  }
  return (
    <form noValidate onSubmit={submit} className="grid gap-4.5">
      <NameField label="Agent name" name={name} hint="For example, its location. 1 to 128 characters." />
      <div>
        <Button variant="primary" type="submit" call="createAgent" loading={creation.isPending}>
          Create agent
        </Button>
      </div>
    </form>
  )
}

function isConnected({ status }: Agent): boolean {
  return status === 'STATUS_CONNECTED'
}
