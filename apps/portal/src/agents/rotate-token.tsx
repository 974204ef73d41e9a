/** Dialog for creating a new agent token, with the choice to revoke the current key. */
import type { Agent } from '@glacis/contract/agent'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { rotate } from '#agents/queries.ts'
import { mutationDialogProps } from '#api/advice.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { RadioCard } from '#ui/radio-card.tsx'

interface RotateTokenProps {
  readonly agent: Agent
  readonly onClose: () => void
  readonly onRotated: (agent: Agent) => void
}

export function RotateToken({ agent, onClose, onRotated }: RotateTokenProps) {
  const [revokeOld, setRevokeOld] = useState(false)
  const rotation = useMutation(rotate)
  const { isPending } = rotation
  const confirm = () =>
    rotation.mutate({ id: agent.id, revokeOld }, { onSuccess: (response) => onRotated(response.agent) })
  return (
    <ConfirmDialog
      open
      {...mutationDialogProps(rotation, onClose)}
      title={`Rotate token for ${agent.name}`}
      description="The new token is shown only once. Any unused token stops working now."
      label={revokeOld ? 'Revoke and rotate' : 'Rotate token'}
      variant={revokeOld ? 'danger' : 'primary'}
      onConfirm={confirm}
    >
      <fieldset className="grid gap-2" aria-label="Current key" disabled={isPending}>
        <RadioCard
          name="old"
          label="Keep the agent working"
          hint="Its current key expires when the new token is used, or in 24 hours."
          checked={!revokeOld}
          onChange={() => setRevokeOld(false)}
        />
        <RadioCard
          name="old"
          label="Revoke its key now"
          hint="The agent is disconnected immediately. Choose this if the key may be compromised."
          checked={revokeOld}
          onChange={() => setRevokeOld(true)}
        />
      </fieldset>
    </ConfirmDialog>
  )
}
