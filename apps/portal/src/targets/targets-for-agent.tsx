/** Checkboxes that assign targets to an agent. */
import type { Target } from '@glacis/contract/target'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useDenial } from '#lib/role.ts'
import { all, update } from '#targets/queries.ts'
import { targetAddress } from '@glacis/contract/target-address'
import { Checkbox } from '#ui/field.tsx'

/** Others can be assigned in the target form. */
const maxShown = 8

interface TargetsForAgentProps {
  readonly agent: { readonly id: string; readonly name: string }
}

/** Lists targets that no other agent scans. Renders nothing if there are none. */
export function TargetsForAgent({ agent }: TargetsForAgentProps) {
  const targets = useQuery(all()).data?.targets ?? []
  const isDenied = useDenial('updateTarget') !== undefined
  const updateMutation = useMutation(update)
  const free = targets.filter((target) => !target.agent || target.agent.id === agent.id).slice(0, maxShown)
  const set = ({ id, tags }: Target, isChosen: boolean) =>
    updateMutation.mutate({ id, tags, agent: isChosen ? { id: agent.id } : null, updateMask: { paths: ['agent'] } })
  if (free.length === 0) return null
  return (
    <fieldset className="grid gap-2.5" disabled={updateMutation.isPending || isDenied}>
      <legend className="mb-2.5 leading-4.5 font-medium">Scan through {agent.name}</legend>
      {free.map((target) => (
        <Checkbox
          key={target.id}
          label={target.name}
          hint={<span className="font-mono">{targetAddress(target)}</span>}
          checked={target.agent !== undefined}
          onChange={(event) => set(target, event.currentTarget.checked)}
        />
      ))}
    </fieldset>
  )
}
