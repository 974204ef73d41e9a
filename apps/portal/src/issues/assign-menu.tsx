import { isAllowed } from '@glacis/contract/permissions'
import type { Member } from '@glacis/contract/workspace'
import { useQuery } from '@tanstack/react-query'
import { UserRound, UserRoundX } from 'lucide-react'
import type { ComponentProps } from 'react'
import { members } from '#workspaces/queries.ts'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuChoice, MenuDivider } from '#ui/menu-entries.tsx'

interface AssignMenuProps extends Omit<ComponentProps<typeof Menu>, 'children'> {
  /** The current assignee of each risk. Undefined if not all are known. */
  readonly assignees: readonly (string | undefined)[] | undefined
  readonly onAssign: (member: Member | null) => void
}

/** The members whose role lets them work on risks, the user first. */
export function AssignMenu({ assignees, onAssign, ...menu }: AssignMenuProps) {
  const people = (useQuery(members()).data?.members ?? []).filter(({ role }) => isAllowed(role, 'updateIssue'))
  const me = people.find(({ isYou }) => isYou)
  const others = people.filter(({ isYou }) => !isYou)
  const isAssignedTo = (member: Member) => assignees?.every((id) => id === member.id) ?? false
  return (
    <Menu {...menu}>
      <div className="max-h-80 max-w-80 overflow-x-hidden overflow-y-auto">
        {me && !isAssignedTo(me) && (
          <MenuAction icon={<UserRound />} onClick={() => onAssign(me)}>
            Assign to me
          </MenuAction>
        )}
        {(assignees?.some((id) => id !== undefined) ?? true) && (
          <MenuAction icon={<UserRoundX />} onClick={() => onAssign(null)}>
            Unassign
          </MenuAction>
        )}
        {others.length > 0 && <MenuDivider />}
        {others.map((member) => (
          <MenuChoice key={member.id} checked={isAssignedTo(member)} onClick={() => onAssign(member)}>
            <NameAndEmail member={member} />
          </MenuChoice>
        ))}
      </div>
    </Menu>
  )
}

function NameAndEmail({ member: { name, email } }: { readonly member: Member }) {
  return (
    <span className="block py-1">
      <span className="block truncate">{name}</span>
      <span className="block truncate text-12 text-ink-3">{email}</span>
    </span>
  )
}
