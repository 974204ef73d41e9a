/** Chooses the scanner of a target: this server or an agent. */
import { useQuery } from '@tanstack/react-query'
import { all } from '#agents/queries.ts'
import { formerAgentId } from '#targets/form.ts'
import { SelectField } from '#ui/field.tsx'

interface AgentFieldProps {
  /** ID of the agent, empty for none. */
  readonly value: string
  readonly onChange: (id: string) => void
  readonly problem: string | undefined
  /** Name of the deleted agent that hasn't been replaced. */
  readonly former: string | undefined
}

export function AgentField({ value, onChange, problem, former }: AgentFieldProps) {
  const agents = useQuery(all()).data?.agents ?? []
  const isKnown = value === '' || value === formerAgentId || agents.some(({ id }) => id === value)
  return (
    <SelectField
      label="Agent"
      name="agent"
      optional
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      state={problem ? 'error' : 'default'}
      messages={problem ? [problem] : []}
      hint="Use an agent to scan networks this server can't reach, such as private ranges at other sites."
    >
      {former !== undefined && <option value={formerAgentId}>{former} (deleted)</option>}
      {!isKnown && <option value={value}>…</option>}
      <option value="">None (scan from this server)</option>
      {agents.map(({ id, name, status, lastSeenTime }) => (
        <option key={id} value={id}>
          {status === 'STATUS_CONNECTED' ? name : `${name} (${lastSeenTime ? 'disconnected' : 'not connected yet'})`}
        </option>
      ))}
    </SelectField>
  )
}
