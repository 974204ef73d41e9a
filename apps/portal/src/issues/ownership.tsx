/** The assignee and due date of a risk, editable in place. */
import type { Issue } from '@glacis/contract/issue'
import type { Member } from '@glacis/contract/workspace'
import { useMutation } from '@tanstack/react-query'
import { AssignMenu } from '#issues/assign-menu.tsx'
import { editIssue } from '#issues/mutations.ts'
import { formatDate } from '#lib/format.ts'
import { useDenial } from '#lib/role.ts'
import { endOfDay, localDay } from '#lib/swiss-date.ts'
import { Fact } from '#ui/card.tsx'
import { DateInput } from '#ui/date-input.tsx'

export function Ownership({ issue }: { readonly issue: Issue }) {
  const change = useMutation(editIssue)
  const denial = useDenial('updateIssue')
  const due = issue.dueTime ? localDay(new Date(issue.dueTime)) : ''
  const setDue = (date: string) => {
    const dueTime = date ? endOfDay(date) : null
    change.mutate({ id: issue.id, issue: { dueTime }, updateMask: { paths: ['dueTime'] } })
  }
  const assign = (member: Member | null) => {
    const assigneeId = member?.id ?? null
    change.mutate({ id: issue.id, issue: { assigneeId }, updateMask: { paths: ['assigneeId'] } })
  }
  return (
    <>
      <Fact name="Assignee" editable>
        <span className="flex items-center justify-between gap-2">
          {issue.assignee ? issue.assignee.name : <span className="text-ink-3">Unassigned</span>}
          {!denial && (
            <span className="-mr-2 flex-none">
              <AssignMenu
                label={issue.assignee ? 'Change assignee' : 'Assign'}
                button={issue.assignee ? 'Change' : 'Assign'}
                variant="ghost"
                size="xs"
                assignees={[issue.assignee?.id]}
                onAssign={assign}
              />
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
