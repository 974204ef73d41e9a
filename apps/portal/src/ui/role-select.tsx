import type { Role } from '@glacis/contract/role'
import { roleHints, roleLabels } from '#lib/role-labels.ts'
import { SelectField } from '#ui/field.tsx'

interface RoleSelectProps<R extends Role> {
  readonly label?: string
  readonly value: R
  /** The roles to choose from. */
  readonly options: readonly R[]
  readonly disabled?: boolean
  readonly onChoose: (role: R) => void
}

/** A role and what it allows. */
export function RoleSelect<R extends Role>({ label = 'Role', value, options, disabled, onChoose }: RoleSelectProps<R>) {
  return (
    <SelectField
      label={label}
      value={value}
      hint={roleHints[value]}
      disabled={disabled}
      onChange={(event) => onChoose(options.find((role) => role === event.target.value) ?? value)}
    >
      {options.map((role) => (
        <option key={role} value={role}>
          {roleLabels[role]}
        </option>
      ))}
    </SelectField>
  )
}
