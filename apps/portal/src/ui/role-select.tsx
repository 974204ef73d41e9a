import { type Role, roles } from '@glacis/contract/role'
import { roleHints, roleLabels } from '#lib/role-labels.ts'
import { SelectField } from '#ui/field.tsx'

interface RoleSelectProps {
  readonly value: Role
  /** The roles to choose from; all by default. */
  readonly options?: readonly Role[]
  readonly onChoose: (role: Role) => void
}

/** A role and what it allows. */
export function RoleSelect({ value, options = roles, onChoose }: RoleSelectProps) {
  return (
    <SelectField
      label="Role"
      value={value}
      hint={roleHints[value]}
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
