/** One way to decide about risks, from a row, a selection or a page: dialog for ignoring, undo, what was skipped. */
import type { Issue, IssueFilter } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import type { SkippedIssue } from '@glacis/contract/triage'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { adviceOf } from '#api/advice.ts'
import { doneWords } from '#issues/actions.ts'
import { type Decision, setStatus, setStatusOfAll, takeBack, takeBackOne } from '#issues/changes.ts'
import { IgnoreDialog } from '#issues/ignore-dialog.tsx'
import type { ChosenStatus } from '#issues/queries.ts'
import { SkippedDialog } from '#issues/skipped-dialog.tsx'
import { formatNumber } from '#lib/format.ts'
import { addToast, successToastMs } from '#lib/toasts.ts'

/** What a decision is about: the picked ones, or all that match. */
export interface Subject {
  readonly issues: readonly Issue[]
  /** Given, the decision is about all `total` that match it. */
  readonly all?: { readonly filter: IssueFilter; readonly total: number } | undefined
}

/** Whose terms of ignoring are asked for; not open while they are being sent. */
interface Asking {
  readonly subject: Subject
  readonly isOpen: boolean
  readonly problem?: string | undefined
}
/** Hears how it ended: null where it worked. */
type Ended = (error: Error | null) => void

/** How long a decision can be taken back, in milliseconds. */
export const undoMs = successToastMs

export interface Decider {
  /** Applies the status, or asks for the terms of ignoring first. */
  readonly decide: (status: ChosenStatus, subject: Subject) => void
  /** The status that is being applied. */
  readonly busyWith: ChosenStatus | undefined
  /** Stands somewhere on the page. */
  readonly dialogs: ReactNode
}

/** `onDone` hears which of the named issues were left as they were. */
export function useDecider(onDone?: (skipped: readonly string[]) => void): Decider {
  const client = useQueryClient()
  const change = useMutation(setStatusOfAll(client))
  const changeOne = useMutation(setStatus(client))
  const [ignoring, setIgnoring] = useState<Asking>()
  const [skipped, setSkipped] = useState<readonly SkippedIssue[]>([])
  function tell(count: number, status: ChosenStatus, undo: (() => Promise<unknown>) | undefined): void {
    const action = undo && { label: 'Undo', run: () => void undo() }
    const message = `${doneWords[status]} ${counted(count)}.`
    addToast('success', { title: 'Success', message, timeoutMs: undoMs, ...(action && { action }) })
  }
  function applyToOne(decision: Decision, before: Issue, onEnded: Ended): void {
    const { id } = before
    const onSuccess = ({ issue: decided }: { readonly issue: Issue }) => {
      tell(1, decision.status, async () => (await takeBackOne(client, { before, decided })) || sayTooLate())
      onEnded(null)
      onDone?.([])
    }
    const onError = (error: Error) => {
      onEnded(error)
      onDone?.([id])
    }
    changeOne.mutate({ id, ...decision }, { onSuccess, onError })
  }
  function apply(decision: Decision, { issues, all }: Subject, onEnded: Ended = () => {}): void {
    const [first] = issues
    if (first && issues.length === 1 && !all) return applyToOne(decision, first, onEnded)
    const which = all ? { filter: all.filter } : { ids: issues.map(({ id }) => id) }
    change.mutate(
      { ...which, ...decision },
      {
        onSuccess: (answer) => {
          const { updatedCount, before } = answer
          const undo = async () => sayLeft(await takeBack(client, answer), updatedCount)
          if (updatedCount > 0) tell(updatedCount, decision.status, before && undo)
          setSkipped(answer.skipped)
          onEnded(null)
          onDone?.(answer.skipped.map(({ id }) => id))
        },
        onError: (error) => {
          onEnded(error)
          onDone?.(issues.map(({ id }) => id))
        },
      },
    )
  }
  /** The dialog gives way at once, as the risk does; when it did not work it is there again with all that was entered. */
  function ignore(decision: Decision, { subject }: Asking): void {
    const hidden = { subject, isOpen: false }
    setIgnoring(hidden)
    apply(decision, subject, (error) => {
      const next = error ? { subject, isOpen: true, problem: adviceOf(error) } : undefined
      setIgnoring((now) => (now === hidden ? next : now))
    })
  }
  return {
    decide: (status, subject) =>
      status === 'STATUS_IGNORED' ? setIgnoring({ subject, isOpen: true }) : apply({ status }, subject),
    busyWith: change.isPending ? change.variables.status : changeOne.isPending ? changeOne.variables.status : undefined,
    dialogs: (
      <>
        {ignoring && (
          <IgnoreDialog
            key={whatOf(ignoring.subject)}
            open={ignoring.isOpen}
            what={whatOf(ignoring.subject)}
            categories={categoriesOf(ignoring.subject)}
            problem={ignoring.problem}
            onClose={() => setIgnoring(undefined)}
            onIgnore={(decision) => ignore(decision, ignoring)}
          />
        )}
        <SkippedDialog skipped={skipped} onClose={() => setSkipped([])} />
      </>
    ),
  }
}

function sayTooLate(): void {
  addToast('info', { title: 'Not undone', message: 'Somebody has decided about it since then. That stands.' })
}

/** Says how many of a batch were not taken back; nothing where all were. */
function sayLeft(left: number, all: number): void {
  if (left === 0) return
  if (all === 1) return sayTooLate()
  const [has, stays] = left === 1 ? ['has', 'stays as it is'] : ['have', 'stay as they are']
  const message = `${formatNumber(left)} of ${counted(all)} ${has} changed since then and ${stays}.`
  addToast('info', { title: left === all ? 'Not undone' : 'Info', message })
}

function counted(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'risk' : 'risks'}`
}

function categoriesOf({ issues, all }: Subject): SeverityCategory[] {
  return all ? ['CATEGORY_CRITICAL'] : issues.map((one) => one.threat.severity.category)
}

function whatOf({ issues, all }: Subject): string {
  if (all) return counted(all.total)
  const [first] = issues
  return issues.length === 1 && first ? `“${first.name}”` : counted(issues.length)
}
