/** The panel in which an agent is created. */
import type { Agent } from '@glacis/contract/agent'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { create } from '#agents/queries.ts'
import { nameProblem } from '#agents/words.ts'
import { ApiFailure } from '#api/failure.ts'
import { Button } from '#ui/button.tsx'
import { SlideOver } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'

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
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const making = useMutation(create(useQueryClient()))
  function submit(event: FormEvent): void {
    event.preventDefault()
    const found = nameProblem(name)
    setProblem(found)
    if (found) return
    making.mutate(name.trim(), {
      onSuccess: ({ agent }) => onCreated(agent),
      onError: (error) => setProblem(nameErrorOf(error)),
    })
  }
  return (
    <SlideOver
      open
      onClose={onClose}
      busy={making.isPending}
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
        <TextField
          label="Name"
          name="name"
          required
          mono
          data-autofocus
          maxLength={256}
          hint="1 to 128 characters, such as the place it scans from"
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setProblem(undefined)
          }}
          state={problem ? 'error' : 'default'}
          messages={problem ? [problem] : []}
        />
        <p className="text-ink-2">
          Next you see its token, once, and the command that installs it on a machine of that network.
        </p>
      </form>
    </SlideOver>
  )
}

/** What the server says of the name; a used-up quota is told beside it too. */
export function nameErrorOf(error: Error): string | undefined {
  if (!(error instanceof ApiFailure)) return undefined
  const said = error.fieldErrors.get('name')
  return said ?? (error.status === 429 ? error.said || error.statusText : undefined)
}
