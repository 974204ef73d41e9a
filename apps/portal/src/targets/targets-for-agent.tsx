/** Which targets an agent scans, to be ticked at once. */
import type { Target } from '@glacis/contract/target'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { all, update } from '#targets/queries.ts'
import { shownAddress } from '#targets/words.ts'
import { Checkbox } from '#ui/field.tsx'

/** More are chosen in the form of each. */
const shownMax = 8

interface TargetsForAgentProps {
  readonly agent: { readonly id: string; readonly name: string }
}

/** Those that nobody else scans; nothing where there are none. */
export function TargetsForAgent({ agent }: TargetsForAgentProps) {
  const targets = useQuery(all()).data?.targets ?? []
  const changing = useMutation(update(useQueryClient()))
  const free = targets.filter((target) => !target.agent || target.agent.id === agent.id).slice(0, shownMax)
  const set = ({ id, tags }: Target, isChosen: boolean) =>
    changing.mutate({ id, tags, agent: isChosen ? { id: agent.id } : null, updateMask: { paths: ['agent'] } })
  if (free.length === 0) return null
  return (
    <fieldset className="grid gap-2.5" disabled={changing.isPending}>
      <legend className="mb-2.5 leading-4.5 font-medium">Scan through {agent.name}</legend>
      {free.map((target) => (
        <Checkbox
          key={target.id}
          label={target.name}
          hint={<span className="font-mono">{shownAddress(target)}</span>}
          checked={target.agent !== undefined}
          onChange={(event) => set(target, event.currentTarget.checked)}
        />
      ))}
    </fieldset>
  )
}
