/** The history of a risk: status changes and comments in one timeline, newest first. */
import { type HistoryEntry, ignoreReasonLabels, type Issue } from '@glacis/contract/issue'
import type { Comment } from '@glacis/contract/triage'
import { useMutation, useQuery } from '@tanstack/react-query'
import { MessageSquare, Trash2 } from 'lucide-react'
import { type FormEvent, type RefObject, useEffect, useRef } from 'react'
import { errorAdvice } from '#api/advice.ts'
import { addComment, removeComment } from '#issues/mutations.ts'
import { ChangeEntry } from '#issues/history-timeline.tsx'
import { CommentField } from '#issues/comment-field.tsx'
import { mentionedIds, type Person, splitMentions } from '#issues/mentions.ts'
import { comments } from '#issues/queries.ts'
import { isFocusLost } from '#lib/focus.ts'
import { useDenial, useRole } from '#lib/role.ts'
import { useDraft } from '#lib/use-draft.ts'
import { SectionError } from '#ui/states.tsx'
import { Button, IconButton } from '#ui/button.tsx'
import { Note } from '#ui/note.tsx'
import { AbsoluteTime } from '#ui/relative-time.tsx'
import { members } from '#workspaces/queries.ts'

type Entry =
  | {
      readonly kind: 'change'
      readonly at: number
      readonly change: HistoryEntry
      readonly isNote: boolean
      readonly isFirst: boolean
    }
  | { readonly kind: 'comment'; readonly at: number; readonly comment: Comment }

/** The server's limit per comment. */
const mentionsMax = 20

/** Newest first. Entries with equal times keep the later-written one first. */
export function timelineEntries(history: readonly HistoryEntry[], posted: readonly Comment[]): Entry[] {
  const changes = history.map((change, index) => ({
    kind: 'change' as const,
    at: Date.parse(change.timestamp),
    change,
    isNote: isNote(change, history[index - 1]),
    isFirst: index === 0,
  }))
  const commentEntries = posted.map((comment) => ({
    kind: 'comment' as const,
    at: Date.parse(comment.createTime),
    comment: comment,
  }))
  return [...changes.toReversed(), ...commentEntries].sort((a, b) => b.at - a.at)
}

/** Ignoring an ignored risk again is a decision, whose reason starts with its label. */
function isNote({ status, reason }: HistoryEntry, before: HistoryEntry | undefined): boolean {
  if (reason === undefined || status !== before?.status) return false
  return status !== 'STATUS_IGNORED' || !ignoreReasons.some((label) => reason.startsWith(label))
}
const ignoreReasons = Object.values(ignoreReasonLabels)

interface DiscussionProps {
  readonly issue: Issue
  readonly field: RefObject<HTMLTextAreaElement | null>
}

export function Discussion({ issue, field }: DiscussionProps) {
  const { data, isError, refetch } = useQuery(comments(issue.id))
  const people = useQuery(members()).data?.members ?? []
  const denial = useDenial('createComment')
  const deletionDenial = useDenial('deleteComment')
  const role = useRole()
  const ownId = people.find(({ isYou }) => isYou)?.id
  // As the server does: analysts delete their own comments, and those without an author.
  const canDelete = ({ actorId = ownId }: Comment) => !deletionDenial && (role !== 'analyst' || actorId === ownId)
  const posted = data?.comments ?? []
  const isDeleting = useRef(false)
  useEffect(() => {
    // The focused delete button disappears with its comment.
    if (isDeleting.current && isFocusLost()) field.current?.focus()
    isDeleting.current = false
  }, [posted.length, field])
  return (
    <>
      {isError && !data && <SectionError what="Comments" onRetry={() => void refetch()} />}
      <ol>
        {timelineEntries(issue.history, posted).map((entry, index) =>
          entry.kind === 'change' ? (
            <ChangeEntry
              key={`${entry.change.timestamp} ${index}`}
              entry={entry.change}
              isNote={entry.isNote}
              isFirst={entry.isFirst}
            />
          ) : (
            <CommentEntry
              key={entry.comment.id}
              issueId={issue.id}
              comment={entry.comment}
              people={people}
              canDelete={canDelete(entry.comment)}
              onDelete={() => (isDeleting.current = true)}
            />
          ),
        )}
      </ol>
      {denial ? (
        <p className="mt-4 text-12 text-ink-3">You can't comment. {denial}</p>
      ) : (
        <CommentForm issueId={issue.id} field={field} people={people} />
      )}
    </>
  )
}

function CommentEntry({
  issueId,
  comment: { id, text, actor, mentionIds = [], createTime },
  people,
  canDelete,
  onDelete,
}: {
  readonly issueId: string
  readonly comment: Comment
  readonly people: readonly Person[]
  readonly canDelete: boolean
  readonly onDelete: () => void
}) {
  const drop = useMutation(removeComment)
  return (
    <li className="group relative grid grid-cols-[14px_minmax(0,1fr)] gap-x-2.5 pb-3.5 last:pb-0">
      <span className="absolute top-5 bottom-0 left-[6.5px] w-px bg-line-strong group-last:hidden" aria-hidden="true" />
      <MessageSquare aria-hidden="true" className="relative mt-[3px] size-3.5 bg-surface text-ink-3" />
      <span>
        <span className="flex items-start gap-2">
          <span>
            Comment <span className="text-ink-2">by {actor}</span>
          </span>
          {canDelete && (
            <span className="-my-0.5 ml-auto opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
              <IconButton
                size="xs"
                label="Delete comment"
                icon={<Trash2 />}
                loading={drop.isPending}
                onClick={() => {
                  onDelete()
                  drop.mutate({ id: issueId, commentId: id })
                }}
              />
            </span>
          )}
        </span>
        <AbsoluteTime value={createTime} className="block text-12 text-ink-3" />
        <span className="mt-0.5 block whitespace-pre-line wrap-anywhere">
          <CommentText text={text} people={people} mentionIds={mentionIds} />
        </span>
      </span>
    </li>
  )
}

interface CommentTextProps {
  readonly text: string
  readonly people: readonly Person[]
  readonly mentionIds: readonly string[]
}

function CommentText({ text, people, mentionIds }: CommentTextProps) {
  return splitMentions(text, people).map((part, index) =>
    part.id && mentionIds.includes(part.id) ? (
      <b key={index} className="font-medium text-main-ink">
        {part.text}
      </b>
    ) : (
      part.text
    ),
  )
}

interface CommentFormProps {
  readonly issueId: string
  readonly field: DiscussionProps['field']
  readonly people: readonly Person[]
}

function CommentForm({ issueId, field, people }: CommentFormProps) {
  const [text, setText] = useDraft(`comment ${issueId}`, '')
  const send = useMutation(addComment)
  const advice = errorAdvice(send.error)
  function sent(): void {
    setText('')
    // The empty form disables the focused button, which would drop the focus.
    if (isFocusLost() || field.current?.form?.contains(document.activeElement)) field.current?.focus()
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    const mentionIds = mentionedIds(text, people).slice(0, mentionsMax)
    if (text.trim())
      send.mutate({ id: issueId, text, ...(mentionIds.length > 0 && { mentionIds }) }, { onSuccess: sent })
  }
  return (
    <form onSubmit={submit} className="mt-4 grid justify-items-start gap-2 [&>div]:w-full">
      <CommentField field={field} value={text} onChange={setText} people={people} />
      {advice && <Note variant="red">{advice}</Note>}
      <Button size="sm" type="submit" loading={send.isPending} disabled={text.trim() === ''}>
        Add comment
      </Button>
    </form>
  )
}
