/** The assignee and due date of a risk, editable in place. */
import type { Issue } from '@glacis/contract/issue'
import { useMutation } from '@tanstack/react-query'
import { fullName, useSession } from '#identity/session.ts'
import { editIssue } from '#issues/mutations.ts'
import { Button } from '#ui/button.tsx'
import { Fact } from '#ui/card.tsx'
import { localDay } from '#lib/swiss-date.ts'
import { DateInput } from '#ui/date-input.tsx'

export function Ownership({ issue }: { readonly issue: Issue }) {
  const session = useSession()
  const change = useMutation(editIssue)
  const person = session?.identity.id
  const isMine = person !== undefined && issue.assignee?.id === person
  const give = (assigneeId: string | null) =>
    change.mutate({ id: issue.id, issue: { assigneeId }, updateMask: { paths: ['assigneeId'] } })
  const due = issue.dueTime ? localDay(new Date(issue.dueTime)) : ''
  const setDue = (date: string) => {
    const dueTime = date ? new Date(`${date}T23:59:59`).toISOString() : null
    change.mutate({ id: issue.id, issue: { dueTime }, updateMask: { paths: ['dueTime'] } })
  }
  return (
    <>
      <Fact name="Assignee" editable>
        <span className="flex items-center justify-between gap-2">
          {issue.assignee ? (
            isMine && session ? (
              fullName(session)
            ) : (
              issue.assignee.name
            )
          ) : (
            <span className="text-ink-3">Unassigned</span>
          )}
          {person && (
            <Button
              size="xs"
              variant="ghost"
              className="-mr-2"
              loading={change.isPending}
              onClick={() => give(isMine ? null : person)}
            >
              {isMine ? 'Unassign' : 'Assign to me'}
            </Button>
          )}
        </span>
      </Fact>
      <Fact name={<label htmlFor="risk-due">Due</label>} editable>
        <DateInput
          key={issue.dueTime ?? ''}
          id="risk-due"
          small
          defaultValue={due}
          onDay={(day) => day !== due && setDue(day)}
        />
      </Fact>
    </>
  )
}
