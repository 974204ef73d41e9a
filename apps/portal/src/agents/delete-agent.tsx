/** Asks before an agent goes, and who takes over its targets. */
import type { Agent } from '@glacis/contract/agent'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { all, forget, remove } from '#agents/queries.ts'
import { targetWords } from '#agents/words.ts'
import { asking } from '#api/advice.ts'
import { addToast } from '#lib/toasts.ts'
import { list as targetList } from '#targets/queries.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { SelectField } from '#ui/field.tsx'

interface DeleteAgentProps {
  readonly agent: Agent
  readonly onClose: () => void
  /** Leaves the page of what is gone. */
  readonly onDeleted?: () => Promise<void>
}

export function DeleteAgent({ agent, onClose, onDeleted }: DeleteAgentProps) {
  const client = useQueryClient()
  const [replacementId, setReplacementId] = useState('')
  const removal = useMutation(remove(client))
  const count = agent.targetCount ?? 0
  const confirm = () => {
    const onSuccess = async () => {
      addToast('success', { title: 'Success', message: `${agent.name} is deleted.` })
      onClose()
      await onDeleted?.()
      forget(client, agent.id)
    }
    removal.mutate({ id: agent.id, ...(replacementId && { replacementId }) }, { onSuccess: () => void onSuccess() })
  }
  return (
    <ConfirmDialog
      open
      {...asking(removal, onClose)}
      title={`Delete ${agent.name}`}
      description="Its key is revoked at once. This cannot be undone."
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

const namesMax = 5

function TargetNames({ agent }: { readonly agent: Agent }) {
  const { data } = useQuery(targetList({ pageSize: namesMax, filter: { agentId: agent.id } }))
  const count = agent.targetCount ?? 0
  return (
    <div className="text-ink-2">
      <p>{targetWords(count)} scanned by it:</p>
      <ul className="mt-1 list-inside list-disc wrap-anywhere">
        {data?.targets.map((target) => (
          <li key={target.id}>{target.name}</li>
        ))}
      </ul>
      {count > namesMax && <p>and {count - namesMax} more.</p>}
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
      hint={value ? undefined : 'They stay in scope but cannot be scanned until they get another agent.'}
    >
      <option value="">Nobody for now</option>
      {others.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
