/** Dialog for renaming an agent. */
import type { Agent } from '@glacis/contract/agent'
import { useMutation } from '@tanstack/react-query'
import { NameField, useAgentName } from '#agents/name-field.tsx'
import { rename } from '#agents/queries.ts'
import { errorAdvice } from '#api/advice.ts'
import { addToast } from '#ui/toasts.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'

interface RenameAgentProps {
  readonly agent: Agent
  readonly onClose: () => void
}

export function RenameAgent({ agent, onClose }: RenameAgentProps) {
  const name = useAgentName(agent.name)
  const renameMutation = useMutation(rename)
  function submit(): void {
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
    <FormDialog
      onClose={onClose}
      busy={renameMutation.isPending}
      problem={name.problem ? undefined : errorAdvice(renameMutation.error)}
      title={`Rename ${agent.name}`}
      label="Rename"
      onSubmit={submit}
    >
      <NameField name={name} hint="1 to 128 characters" />
    </FormDialog>
  )
}
