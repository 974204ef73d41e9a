/** Confirmation dialog for deleting an agent and reassigning its targets. */
import type { Agent } from '@glacis/contract/agent'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { all, removeFromCache, remove } from '#agents/queries.ts'
import { formatTargetCount } from '#agents/labels.ts'
import { mutationDialogProps } from '#api/advice.ts'
import { addToast } from '#ui/toasts.tsx'
import { list as targetList } from '#targets/queries.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { SelectField } from '#ui/field.tsx'

interface DeleteAgentProps {
  readonly agent: Agent
  readonly onClose: () => void
  /** Navigates away from the deleted agent's page. */
  readonly onDeleted?: () => Promise<void>
}

export function DeleteAgent({ agent, onClose, onDeleted }: DeleteAgentProps) {
  const client = useQueryClient()
  const [replacementId, setReplacementId] = useState('')
  const removal = useMutation(remove)
  const count = agent.targetCount ?? 0
  const confirm = () => {
    const onSuccess = async () => {
      addToast('success', { title: 'Success', message: `${agent.name} was deleted.` })
      onClose()
      await onDeleted?.()
      removeFromCache(client, agent.id)
    }
    removal.mutate({ id: agent.id, ...(replacementId && { replacementId }) }, { onSuccess: () => void onSuccess() })
  }
  return (
    <ConfirmDialog
      open
      {...mutationDialogProps(removal, onClose)}
      title={`Delete ${agent.name}`}
      description="The agent's key is revoked immediately. This can't be undone."
      label="Delete"
      onConfirm={confirm}
    >
      {count > 0 && (
        <div className="grid gap-3">
          <TargetNames agent={agent} />
          <Replacement agent={agent} value={replacementId} onChange={setReplacementId} />
        </div>
      )}
    </ConfirmDialog>
  )
}

const maxNames = 5

function TargetNames({ agent }: { readonly agent: Agent }) {
  const { data } = useQuery(targetList({ pageSize: maxNames, filter: { agentId: agent.id } }))
  const count = agent.targetCount ?? 0
  return (
    <div className="text-ink-2">
      <p>{formatTargetCount(count)} scanned by this agent:</p>
      <ul className="mt-1 list-inside list-disc wrap-anywhere">
        {data?.targets.map((target) => (
          <li key={target.id}>{target.name}</li>
        ))}
      </ul>
      {count > maxNames && <p>and {count - maxNames} more.</p>}
    </div>
  )
}

interface ReplacementProps {
  readonly agent: Agent
  readonly value: string
  readonly onChange: (id: string) => void
}
function Replacement({ agent, value, onChange }: ReplacementProps) {
  const others = useQuery(all()).data?.agents.filter(({ id }) => id !== agent.id) ?? []
  return (
    <SelectField
      label="Scan them with"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      hint={value ? undefined : "The targets stay in scope but aren't scanned until you assign another agent."}
    >
      <option value="">No agent for now</option>
      {others.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
