/** Turns the inventory of an agent on and off, and shows it. */
import type { Agent } from '@glacis/contract/agent'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { MachineInventory } from '#agents/machine-inventory.tsx'
import { setInventory } from '#agents/queries.ts'
import { errorAdvice, mutationDialogProps } from '#api/advice.ts'
import { Button } from '#ui/button.tsx'
import { Block } from '#ui/card.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'

export function AgentInventory({ agent }: { readonly agent: Agent }) {
  const [q, setQ] = useState('')
  const [isTurningOff, setIsTurningOff] = useState(false)
  const saving = useMutation(setInventory)
  const isOn = agent.inventory === true
  return (
    <>
      <Block title="Inventory">
        <p className="text-ink-2">
          {isOn ? 'The agent reports' : 'If you turn this on, the agent reports'} the following about its own machine to
          this server: installed packages with their versions, listening sockets with their processes, and running
          containers with their images.
        </p>
        {!isOn && saving.error && (
          <p role="alert" className="mt-2 text-red-ink">
            {errorAdvice(saving.error)}
          </p>
        )}
        <Button
          size="sm"
          call="updateAgent"
          className="mt-3"
          loading={saving.isPending && !isTurningOff}
          onClick={() => (isOn ? setIsTurningOff(true) : saving.mutate({ id: agent.id, inventory: true }))}
        >
          {isOn ? 'Turn off inventory' : 'Turn on inventory'}
        </Button>
      </Block>
      {isOn && <MachineInventory agentId={agent.id} q={q} onSearch={setQ} />}
      {isTurningOff && (
        <ConfirmDialog
          {...mutationDialogProps(saving, () => setIsTurningOff(false))}
          open
          title={`Turn off inventory for ${agent.name}`}
          description="The inventory reported by the agent is deleted, and package risks on its machine are resolved. You can turn it on again."
          label="Turn off"
          onConfirm={() =>
            saving.mutate({ id: agent.id, inventory: false }, { onSuccess: () => setIsTurningOff(false) })
          }
        />
      )}
    </>
  )
}
