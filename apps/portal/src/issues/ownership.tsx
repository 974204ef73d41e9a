/** The assignee and due date of a risk, editable in place. */
import { isAllowed } from '@glacis/contract/permissions'
import type { Issue } from '@glacis/contract/issue'
import type { Member } from '@glacis/contract/workspace'
import { useMutation, useQuery } from '@tanstack/react-query'
import { UserRound, UserRoundX } from 'lucide-react'
import { editIssue } from '#issues/mutations.ts'
import { formatDate } from '#lib/format.ts'
import { useDenial } from '#lib/role.ts'
import { localDay } from '#lib/swiss-date.ts'
import { members } from '#workspaces/queries.ts'
import { Fact } from '#ui/card.tsx'
import { DateInput } from '#ui/date-input.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuChoice, MenuDivider } from '#ui/menu-entries.tsx'

export function Ownership({ issue }: { readonly issue: Issue }) {
  const change = useMutation(editIssue)
  const denial = useDenial('updateIssue')
  const due = issue.dueTime ? localDay(new Date(issue.dueTime)) : ''
  const setDue = (date: string) => {
    const dueTime = date ? new Date(`${date}T23:59:59`).toISOString() : null
    change.mutate({ id: issue.id, issue: { dueTime }, updateMask: { paths: ['dueTime'] } })
  }
  return (
    <>
      <Fact name="Assignee" editable>
        <span className="flex items-center justify-between gap-2">
          {issue.assignee ? issue.assignee.name : <span className="text-ink-3">Unassigned</span>}
          {!denial && (
            <span className="-mr-2 flex-none">
              <AssignMenu issue={issue} />
            </span>
          )}
        </span>
      </Fact>
      {denial ? (
        <Fact name="Due">{issue.dueTime ? formatDate(issue.dueTime) : <span className="text-ink-3">None</span>}</Fact>
      ) : (
        <Fact name={<label htmlFor="risk-due">Due</label>} editable>
          <DateInput
            key={issue.dueTime ?? ''}
            id="risk-due"
            small
            defaultValue={due}
            onDay={(day) => day !== due && setDue(day)}
          />
        </Fact>
      )}
    </>
  )
}

/** The members whose role lets them work on risks. */
function AssignMenu({ issue: { id, assignee } }: { readonly issue: Issue }) {
  const change = useMutation(editIssue)
  const people = (useQuery(members()).data?.members ?? []).filter(({ role }) => isAllowed(role, 'updateIssue'))
  const me = people.find(({ isYou }) => isYou)
  const others = people.filter(({ isYou }) => !isYou)
  const assign = (assigneeId: string | null) =>
    change.mutate({ id, issue: { assigneeId }, updateMask: { paths: ['assigneeId'] } })
  return (
    <Menu
      label={assignee ? 'Change assignee' : 'Assign'}
      button={assignee ? 'Change' : 'Assign'}
      variant="ghost"
      size="xs"
    >
      <div className="max-h-80 max-w-80 overflow-x-hidden overflow-y-auto">
        {me && assignee?.id !== me.id && (
          <MenuAction icon={<UserRound />} onClick={() => assign(me.id)}>
            Assign to me
          </MenuAction>
        )}
        {assignee && (
          <MenuAction icon={<UserRoundX />} onClick={() => assign(null)}>
            Unassign
          </MenuAction>
        )}
        {others.length > 0 && <MenuDivider />}
        {others.map((member) => (
          <MenuChoice key={member.id} checked={member.id === assignee?.id} onClick={() => assign(member.id)}>
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
