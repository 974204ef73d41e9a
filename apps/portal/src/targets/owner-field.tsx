/** The member responsible for a target. */
import { useQuery } from '@tanstack/react-query'
import { SelectField } from '#ui/field.tsx'
import { members } from '#workspaces/queries.ts'

interface OwnerFieldProps {
  /** ID of the member, empty for none. */
  readonly value: string
  readonly onChange: (id: string) => void
  readonly problem: string | undefined
  /** The current owner, who may have left the workspace. */
  readonly former: { readonly id: string; readonly name: string } | undefined
}

export function OwnerField({ value, onChange, problem, former }: OwnerFieldProps) {
  const people = useQuery(members()).data?.members ?? []
  const isKnown = value === '' || people.some(({ id }) => id === value)
  return (
    <SelectField
      label="Owner"
      name="owner"
      optional
      value={value}
      onChange={({ target }) => onChange(target.value)}
      state={problem ? 'error' : 'default'}
      messages={problem ? [problem] : []}
      hint="The member responsible for this target. Email channels can notify owners."
    >
      <option value="">None</option>
      {!isKnown && <option value={value}>{former?.id === value ? former.name : '…'}</option>}
      {people.map(({ id, name, email }) => (
        <option key={id} value={id}>
          {name} ({email})
        </option>
      ))}
    </SelectField>
  )
}
