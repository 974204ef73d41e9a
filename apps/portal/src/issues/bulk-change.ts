/** What bulk changes have in common: the selected risks, and the messages about the outcome. */
import type { Issue, IssueFilter } from '@glacis/contract/issue'
import type { BulkSelection } from '#issues/mutations.ts'
import { formatNumber } from '#lib/format.ts'
import { addToast, type ToastAction } from '#ui/toasts.tsx'

/** The issues a change applies to: the selected ones, or all that match a filter. */
export interface IssueSelection {
  readonly issues: readonly Issue[]
  /** If set, the change applies to all `total` issues that match the filter. */
  readonly all?: { readonly filter: IssueFilter; readonly total: number } | undefined
}

/** The selection as the API takes it. */
export function bulkSelection({ issues, all }: IssueSelection): BulkSelection {
  return all ? { filter: all.filter } : { ids: issues.map(({ id }) => id) }
}

/** `“Name of the risk”`, `3 risks` */
export function selectionLabel({ issues, all }: IssueSelection): string {
  if (all) return riskCount(all.total)
  const [first] = issues
  return issues.length === 1 && first ? `“${first.name}”` : riskCount(issues.length)
}

/** `1 risk`, `3 risks` */
export function riskCount(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'risk' : 'risks'}`
}

export function undoAction(undo: () => Promise<unknown>): ToastAction {
  return { label: 'Undo', run: () => void undo() }
}

/** Reports that an issue was not changed back, because someone else changed it. */
export function showUndoConflict(): void {
  addToast('info', {
    title: 'Not undone',
    message: 'Someone changed this risk in the meantime. Their change was kept.',
  })
}

/** Reports how many issues of a bulk change could not be undone. */
export function showPartialUndo(left: number, all: number): void {
  if (left === 0) return
  if (all === 1) return showUndoConflict()
  const message = `Undo skipped ${formatNumber(left)} of ${riskCount(all)} because of changes in the meantime.`
  addToast('info', { title: left === all ? 'Not undone' : 'Info', message })
}
