/** Dialog for the limits of an agent's access: an end date and the networks it may connect from. */
import type { Agent } from '@glacis/contract/agent'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { mutationDialogProps } from '#api/advice.ts'
import { limit } from '#agents/queries.ts'
import { useNow } from '#lib/clock.ts'
import { localDay, parseSwissDate } from '#lib/swiss-date.ts'
import { addToast } from '#ui/toasts.tsx'
import { DateInput } from '#ui/date-input.tsx'
import { Field } from '#ui/field.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { NetworksField, networksProblem, parseNetworks } from '#ui/networks-field.tsx'

interface LimitAgentProps {
  readonly agent: Agent
  readonly onClose: () => void
}

/** Opens when mounted. */
export function LimitAgent({ agent, onClose }: LimitAgentProps) {
  const saving = useMutation(limit)
  const [dayProblem, setDayProblem] = useState<string>()
  const [networks, setNetworks] = useState(agent.allowedNetworks?.join('\n') ?? '')
  const [hasTried, setHasTried] = useState(false)
  const problem = networksProblem(networks)
  const today = localDay(new Date(useNow()))
  const save = (form: HTMLFormElement) => {
    setHasTried(true)
    // Read from the form: Enter submits it while the date still has the focus.
    const text = String(new FormData(form).get('day') ?? '').trim()
    const day = text === '' ? '' : parseSwissDate(text)
    const found =
      day === undefined ? 'Enter the date as dd.mm.yyyy.' : day && day < today ? 'Choose today or later.' : undefined
    setDayProblem(found)
    if (problem || found) return
    const expireTime = day ? new Date(`${day}T23:59:59`).toISOString() : null
    const onSuccess = () => {
      addToast('success', { title: 'Success', message: `Access limits for ${agent.name} were saved.` })
      onClose()
    }
    saving.mutate({ id: agent.id, agent: { expireTime, allowedNetworks: parseNetworks(networks) } }, { onSuccess })
  }
  return (
    <FormDialog
      {...mutationDialogProps(saving, onClose)}
      title={`Limit access for ${agent.name}`}
      description="Outside these limits, the agent can't connect and its targets aren't scanned."
      label="Save limits"
      call="updateAgent"
      onSubmit={save}
    >
      <Field
        label="Last day"
        optional
        hint="Leave empty for no end date."
        state={dayProblem ? 'error' : 'default'}
        messages={dayProblem ? [dayProblem] : []}
      >
        {(wiring) => (
          <DateInput
            {...wiring}
            name="day"
            state={dayProblem ? 'error' : 'default'}
            defaultValue={agent.expireTime ? localDay(new Date(agent.expireTime)) : ''}
          />
        )}
      </Field>
      <NetworksField
        value={networks}
        problem={hasTried ? problem : undefined}
        hint="Addresses or networks from which the agent connects, as this server sees them. Leave empty to allow all."
        onChange={setNetworks}
      />
    </FormDialog>
  )
}
