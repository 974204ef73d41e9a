/** A list that maps the groups of an identity provider to roles, in order of precedence. */
import { type GroupRole, GroupRoleName } from '@glacis/contract/group-role'
import { ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useId } from 'react'
import { roleLabels } from '#lib/role-labels.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { FieldMessages, Input, Select } from '#ui/field.tsx'

export const groupRoleNames = GroupRoleName.options

interface GroupRolesFieldProps {
  readonly value: readonly GroupRole[]
  /** Names to suggest. */
  readonly groups?: readonly string[]
  readonly problem: string | undefined
  readonly disabled: boolean
  readonly onChange: (value: readonly GroupRole[]) => void
}

export function GroupRolesField({ value, groups = [], problem, disabled, onChange }: GroupRolesFieldProps) {
  const listId = useId()
  const errorId = useId()
  const replace = (index: number, change: Partial<GroupRole>) =>
    onChange(value.with(index, { ...at(value, index), ...change }))
  return (
    <fieldset disabled={disabled} className="grid gap-2" aria-describedby={problem && errorId}>
      <legend className="mb-1.5 leading-4.5 font-medium">Group roles</legend>
      <p className="text-12 text-ink-3">A user in several groups gets the role of the first group in this list.</p>
      <datalist id={listId}>
        {groups.map((group) => (
          <option key={group}>{group}</option>
        ))}
      </datalist>
      {value.map(({ group, role }, index) => (
        // Rows have no identity but their position.
        <div key={index} className="flex items-center gap-2">
          <Input
            aria-label={`Group ${index + 1}`}
            list={listId}
            maxLength={200}
            value={group}
            onChange={({ target }) => replace(index, { group: target.value })}
          />
          <span className="w-32 flex-none">
            <Select
              aria-label={`Role of group ${index + 1}`}
              value={role}
              onChange={({ target }) => replace(index, { role: GroupRoleName.parse(target.value) })}
            >
              {groupRoleNames.map((name) => (
                <option key={name} value={name}>
                  {roleLabels[name]}
                </option>
              ))}
            </Select>
          </span>
          {!disabled && (
            <>
              <IconButton
                size="sm"
                label={`Move group ${index + 1} up`}
                icon={<ArrowUp />}
                disabled={index === 0}
                onClick={() => onChange(value.with(index, at(value, index - 1)).with(index - 1, at(value, index)))}
              />
              <IconButton
                size="sm"
                label={`Remove group ${index + 1}`}
                icon={<Trash2 />}
                onClick={() => onChange(value.toSpliced(index, 1))}
              />
            </>
          )}
        </div>
      ))}
      {problem && <FieldMessages id={errorId} messages={[problem]} state="error" />}
      {!disabled && (
        <div>
          <Button
            size="sm"
            icon={<Plus aria-hidden="true" />}
            onClick={() => onChange([...value, { group: '', role: 'viewer' }])}
          >
            Add group
          </Button>
        </div>
      )}
    </fieldset>
  )
}

/** Without empty rows. */
export function namedGroups(value: readonly GroupRole[]): GroupRole[] {
  return value.flatMap(({ group, role }) => (group.trim() ? { group: group.trim(), role } : []))
}

/** The error for a list that contains a group twice. */
export function groupsProblem(value: readonly GroupRole[]): string | undefined {
  const names = namedGroups(value).map(({ group }) => group)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? undefined : `“${twice}” is listed twice. Keep one of them.`
}

function at(value: readonly GroupRole[], index: number): GroupRole {
  return value[index] ?? { group: '', role: 'viewer' }
}
