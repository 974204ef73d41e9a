/** Dialog for renaming an agent. */
import type { Agent } from '@glacis/contract/agent'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId } from 'react'
import { NameField, useAgentName } from '#agents/name-field.tsx'
import { rename } from '#agents/queries.ts'
import { errorAdvice } from '#api/advice.ts'
import { addToast } from '#ui/toasts.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

interface RenameAgentProps {
  readonly agent: Agent
  readonly onClose: () => void
}

export function RenameAgent({ agent, onClose }: RenameAgentProps) {
  const formId = useId()
  const name = useAgentName(agent.name)
  const renameMutation = useMutation(rename)
  function submit(event: FormEvent): void {
    event.preventDefault()
    const wanted = name.validate()
    if (!wanted) return
    if (wanted === agent.name) return onClose()
    const onSuccess = () => {
      addToast('success', { title: 'Success', message: `${agent.name} was renamed to ${wanted}.` })
      onClose()
    }
    renameMutation.mutate({ id: agent.id, name: wanted }, { onSuccess, onError: name.setServerError })
  }
  return (
    <Dialog
      open
      onClose={onClose}
      busy={renameMutation.isPending}
      problem={name.problem ? undefined : errorAdvice(renameMutation.error)}
      title={`Rename ${agent.name}`}
      footer={
        <>
          <Button onClick={onClose} disabled={renameMutation.isPending}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} loading={renameMutation.isPending}>
            Rename
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit}>
        <NameField name={name} hint="1 to 128 characters" />
      </form>
    </Dialog>
  )
}
