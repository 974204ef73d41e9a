/** Who looks after a risk, and until when. */
import type { Issue } from '@glacis/contract/issue'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { fullName, useSession } from '#identity/session.ts'
import { assign } from '#issues/changes.ts'
import { Button } from '#ui/button.tsx'
import { Fact } from '#ui/card.tsx'
import { localDay } from '#lib/swiss-date.ts'
import { DateInput } from '#ui/date-input.tsx'

/** Two facts that are changed where they stand. */
export function Ownership({ issue }: { readonly issue: Issue }) {
  const session = useSession()
  const change = useMutation(assign(useQueryClient()))
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
            <span className="text-ink-3">Nobody</span>
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
