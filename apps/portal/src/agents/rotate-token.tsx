/** Makes a new token for an agent, and says what becomes of the key of now. */
import type { Agent } from '@glacis/contract/agent'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { rotate } from '#agents/queries.ts'
import { asking } from '#api/advice.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { RadioCard } from '#ui/radio-card.tsx'

interface RotateTokenProps {
  readonly agent: Agent
  readonly onClose: () => void
  readonly onRotated: (agent: Agent) => void
}

export function RotateToken({ agent, onClose, onRotated }: RotateTokenProps) {
  const [revokeOld, setRevokeOld] = useState(false)
  const rotation = useMutation(rotate(useQueryClient()))
  const { isPending } = rotation
  const confirm = () => rotation.mutate({ id: agent.id, revokeOld }, { onSuccess: (answer) => onRotated(answer.agent) })
  return (
    <ConfirmDialog
      open
      {...asking(rotation, onClose)}
      title={`Rotate the token of ${agent.name}`}
      description="The new token is shown once. A token that nobody has used stops working now."
      label={revokeOld ? 'Revoke and rotate' : 'Rotate token'}
      variant={revokeOld ? 'danger' : 'primary'}
      onConfirm={confirm}
    >
      <fieldset className="grid gap-2" aria-label="The key of now" disabled={isPending}>
        <RadioCard
          name="old"
          label="Keep the agent working"
          hint="Its key ends when the new token is used, at the latest in 24 hours."
          checked={!revokeOld}
          onChange={() => setRevokeOld(false)}
        />
        <RadioCard
          name="old"
          label="Revoke its key now"
          hint="It is disconnected at once. Choose this when the key may be in other hands."
          checked={revokeOld}
          onChange={() => setRevokeOld(true)}
        />
      </fieldset>
    </ConfirmDialog>
  )
}
