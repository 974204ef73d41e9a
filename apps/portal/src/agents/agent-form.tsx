/** Slide-over panel for creating an agent. */
import type { Agent } from '@glacis/contract/agent'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId } from 'react'
import { NameField, useAgentName } from '#agents/name-field.tsx'
import { create } from '#agents/queries.ts'
import { errorAdvice } from '#api/advice.ts'
import { Button } from '#ui/button.tsx'
import { SlideOver } from '#ui/dialog.tsx'

interface AgentFormProps {
  readonly open: boolean
  readonly onClose: () => void
  /** Receives the agent with its token, which only this response includes. */
  readonly onCreated: (agent: Agent) => void
}

export function AgentForm({ open, ...rest }: AgentFormProps) {
  return open ? <Panel {...rest} /> : null
}

function Panel({ onClose, onCreated }: Omit<AgentFormProps, 'open'>) {
  const formId = useId()
  const name = useAgentName('')
  const creation = useMutation(create)
  function submit(event: FormEvent): void {
    event.preventDefault()
    const wanted = name.validate()
    if (wanted) creation.mutate(wanted, { onSuccess: ({ agent }) => onCreated(agent), onError: name.setServerError })
  }
  return (
    <SlideOver
      open
      onClose={onClose}
      busy={creation.isPending}
      problem={name.problem ? undefined : errorAdvice(creation.error)}
      title="New agent"
      description="An agent scans a network from the inside. It only makes outbound connections."
      footer={
        <>
          <Button onClick={onClose} disabled={creation.isPending}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" call="createAgent" form={formId} loading={creation.isPending}>
            Create agent
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="grid content-start gap-5">
        <NameField name={name} hint="For example, its location. 1 to 128 characters." />
        <p className="text-ink-2">
          Next, you get a single-use token and the command that installs the agent on a machine in that network.
        </p>
      </form>
    </SlideOver>
  )
}
