/** Gives an agent another name. */
import type { Agent } from '@glacis/contract/agent'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { nameErrorOf } from '#agents/agent-form.tsx'
import { rename } from '#agents/queries.ts'
import { nameProblem } from '#agents/words.ts'
import { addToast } from '#lib/toasts.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'

interface RenameAgentProps {
  readonly agent: Agent
  readonly onClose: () => void
}

export function RenameAgent({ agent, onClose }: RenameAgentProps) {
  const formId = useId()
  const [name, setName] = useState(agent.name)
  const [problem, setProblem] = useState<string>()
  const renaming = useMutation(rename(useQueryClient()))
  function submit(event: FormEvent): void {
    event.preventDefault()
    const found = nameProblem(name)
    setProblem(found)
    if (found) return
    if (name.trim() === agent.name) return onClose()
    const onSuccess = () => {
      addToast('success', { title: 'Success', message: `${agent.name} is now ${name.trim()}.` })
      onClose()
    }
    renaming.mutate(
      { id: agent.id, name: name.trim() },
      { onSuccess, onError: (error) => setProblem(nameErrorOf(error)) },
    )
  }
  return (
    <Dialog
      open
      onClose={onClose}
      busy={renaming.isPending}
      title={`Rename ${agent.name}`}
      footer={
        <>
          <Button onClick={onClose} disabled={renaming.isPending}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} loading={renaming.isPending}>
            Rename
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit}>
        <TextField
          label="Name"
          name="name"
          required
          mono
          data-autofocus
          maxLength={256}
          hint="1 to 128 characters"
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setProblem(undefined)
          }}
          state={problem ? 'error' : 'default'}
          messages={problem ? [problem] : []}
        />
      </form>
    </Dialog>
  )
}
