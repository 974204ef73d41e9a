/** The panel in which an agent is created. */
import type { Agent } from '@glacis/contract/agent'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId } from 'react'
import { NameField, useAgentName } from '#agents/name-field.tsx'
import { create } from '#agents/queries.ts'
import { adviceOf } from '#api/advice.ts'
import { Button } from '#ui/button.tsx'
import { SlideOver } from '#ui/dialog.tsx'

interface AgentFormProps {
  readonly open: boolean
  readonly onClose: () => void
  /** Takes the agent with its token, which is in this one answer only. */
  readonly onCreated: (agent: Agent) => void
}

export function AgentForm({ open, ...rest }: AgentFormProps) {
  return open ? <Panel {...rest} /> : null
}

function Panel({ onClose, onCreated }: Omit<AgentFormProps, 'open'>) {
  const formId = useId()
  const name = useAgentName('')
  const making = useMutation(create(useQueryClient()))
  function submit(event: FormEvent): void {
    event.preventDefault()
    const wanted = name.checked()
    if (wanted) making.mutate(wanted, { onSuccess: ({ agent }) => onCreated(agent), onError: name.refuse })
  }
  return (
    <SlideOver
      open
      onClose={onClose}
      busy={making.isPending}
      problem={name.problem ? undefined : adviceOf(making.error)}
      title="New agent"
      description="It scans a network from inside and needs no open port."
      footer={
        <>
          <Button onClick={onClose} disabled={making.isPending}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} loading={making.isPending}>
            Create agent
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="grid content-start gap-5">
        <NameField name={name} hint="1 to 128 characters, such as the place it scans from" />
        <p className="text-ink-2">
          Next you see its token, once, and the command that installs it on a machine of that network.
        </p>
      </form>
    </SlideOver>
  )
}
