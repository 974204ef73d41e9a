/** A list of issues with filters, bulk actions, and paging. Its state is in the URL. */
import type { Issue, Verification } from '@glacis/contract/issue'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { useSession } from '#identity/session.ts'
import { commonActions } from '#issues/actions.ts'
import { BulkBar } from '#issues/bulk-bar.tsx'
import { useOwnershipChanger } from '#issues/ownership-changer.tsx'
import { useStatusChanger } from '#issues/status-changer.tsx'
import { IssuePreview } from '#issues/issue-preview.tsx'
import { IssueTable } from '#issues/issue-table.tsx'
import { type SettableStatus, list } from '#issues/queries.ts'
import { RiskFilters } from '#issues/risk-filters.tsx'
import { defaultSort, hasFilters, issueFilter, issuesInput, type RiskSearch, withoutFilters } from '#issues/search.ts'
import { deselectHidden, nothingSelected, toggleRow, toggleAllRows } from '#lib/selection.ts'
import { useKeys } from '#lib/keyboard.ts'
import { ListBody, ListPager } from '#ui/list.tsx'

export interface IssueListProps {
  readonly search: RiskSearch
  /** The target or host, if it's in the path rather than the search. */
  readonly parent?: Pick<RiskSearch, 'target' | 'asset'>
  /** Updates the URL; `replace` while the user types. */
  readonly onSearch: (search: RiskSearch, options?: { readonly replace: boolean }) => void
  /** If omitted, lists verified and potential issues together and marks the potential ones. */
  readonly verification?: Verification
  /** Replaces the default filters. */
  readonly tools?: ReactNode
  /** Shown next to the default filters. */
  readonly aside?: ReactNode
  /** Number of issues in the tab, if another query has loaded it. */
  readonly total?: number | undefined
  readonly hidesHosts?: boolean
  readonly noMatches?: Parameters<typeof ListBody>[0]['noMatches']
  /** The empty state. Undefined while its contents are loading; the list shows as loading until then. */
  readonly empty: ReactNode
}

export function IssueList(props: IssueListProps) {
  const { search, parent, onSearch, verification, tools, aside, total, hidesHosts, noMatches, empty } = props
  const person = useSession()?.identity.id
  const query = useQuery(list(issuesInput({ ...search, ...parent }, verification, person)))
  const isFiltered = hasFilters(search)
  const loaded = query.data?.issues
  const issues = loaded?.length === 0 && !isFiltered && empty === undefined ? undefined : loaded
  const [previewed, preview] = usePreview(issues)
  const { totalSize = total, totalSizeIsExact = true } = query.data ?? {}
  const filter = issueFilter({ ...search, ...parent }, verification, person)
  const picking = useSelection(issues ?? [])
  const statusChanger = useStatusChanger((skipped) => picking.keep(skipped))
  const ownershipChanger = useOwnershipChanger()
  const selection = {
    issues: picking.issues,
    ...(picking.isAll && { all: { filter, total: totalSize ?? picking.issues.length } }),
  }
  const applyStatus = (status: SettableStatus) => statusChanger.applyStatus(status, selection)
  const applyToIssue = (status: SettableStatus, issue: Issue) => statusChanger.applyStatus(status, { issues: [issue] })
  useStatusKeys(picking.issues, issues ?? [], applyStatus, applyToIssue)
  const change = (to: RiskSearch) => onSearch({ ...search, after: undefined, ...to })
  return (
    <>
      {picking.issues.length > 0 ? (
        <BulkBar
          issues={picking.issues}
          total={totalSize}
          totalIsExact={totalSizeIsExact}
          isAll={picking.isAll}
          onAll={picking.all}
          onClear={() => picking.keep([])}
          onSetStatus={applyStatus}
          pendingStatus={statusChanger.pendingStatus}
          onAssign={(member) => ownershipChanger.assign(member, selection)}
          onChooseDue={() => ownershipChanger.chooseDue(selection)}
          isUpdating={ownershipChanger.isPending}
        />
      ) : (
        (tools ?? (
          <RiskFilters
            search={search}
            verification={verification}
            filter={filter}
            aside={aside}
            onSearch={onSearch}
            isSelecting={picking.isOnPhone}
            onToggleSelecting={picking.toggleOnPhone}
          />
        ))
      )}
      <ListBody
        what="Risks"
        query={query}
        count={issues?.length}
        isFiltered={isFiltered}
        onClear={() => onSearch(withoutFilters(search))}
        noMatches={noMatches}
        empty={empty}
      >
        <IssueTable
          label="Risks"
          issues={issues}
          sort={search.sort ?? defaultSort(verification)}
          onSort={(sort) => change({ sort: sort === defaultSort(verification) ? undefined : sort })}
          isMixed={verification === undefined}
          hidesHosts={hidesHosts ?? false}
          isLocal={parent !== undefined}
          picking={picking.table}
          rowActions={{ onPreview: preview, onSetStatus: applyToIssue }}
        />
      </ListBody>
      <IssuePreview
        issues={issues ?? []}
        id={previewed}
        onPreview={preview}
        onSetStatus={applyToIssue}
        dialogs={previewed && statusChanger.dialogs}
      />
      {!previewed && statusChanger.dialogs}
      {ownershipChanger.dialogs}
      <ListPager
        after={search.after}
        size={search.size ?? 25}
        shown={issues?.length ?? 0}
        page={query.data}
        total={isFiltered ? undefined : total}
        onTurn={(to) => onSearch({ ...search, ...to })}
      />
    </>
  )
}

/**
 * The ID of the risk in the preview panel. When it leaves the list because its status changed, the risk that takes its
 * position (or the last one) is shown, so that a user can triage one risk after another.
 */
function usePreview(issues: readonly Issue[] | undefined) {
  const [shown, setShown] = useState<{ readonly id: string; readonly at: number }>()
  const indexOf = (id: string | undefined) => issues?.findIndex((issue) => issue.id === id) ?? -1
  const show = (id: string | undefined) => setShown(id === undefined ? undefined : { id, at: indexOf(id) })
  const at = indexOf(shown?.id)
  if (shown && issues && at !== shown.at) {
    const next = issues[at < 0 ? Math.min(shown.at, issues.length - 1) : at]
    setShown(next && { id: next.id, at: indexOf(next.id) })
  }
  return [shown?.id, show] as const
}

/** The selected rows of a page, or all matching issues. */
function useSelection(shown: readonly Issue[]) {
  const [selected, setSelected] = useState(nothingSelected)
  const [isAll, setIsAll] = useState(false)
  const [isOnPhone, setIsOnPhone] = useState(false)
  const rows = shown.map(({ id }) => id)
  const selection = deselectHidden(selected, rows)
  const choose = (next: typeof selection) => {
    setSelected(next)
    setIsAll(false)
  }
  return {
    issues: shown.filter(({ id }) => selection.ids.has(id)),
    isAll: isAll && selection.ids.size > 0,
    isOnPhone,
    all: () => setIsAll(true),
    /** Reduces the selection to these IDs. */
    keep: (ids: readonly string[]) => choose({ ids: new Set(ids), anchor: undefined }),
    toggleOnPhone: () => setIsOnPhone(!isOnPhone),
    table: {
      selection,
      isOnPhone: isOnPhone || selection.ids.size > 0,
      onPick: (id: string, isRange: boolean) => choose(toggleRow(selection, rows, id, isRange)),
      onPickAll: () => choose(toggleAllRows(selection, rows)),
      onClear: () => choose(nothingSelected),
    },
  }
}

/** `r`, `i`, and `o` change the status of the selected rows, or of the focused row. */
function useStatusKeys(
  selected: readonly Issue[],
  shown: readonly Issue[],
  applyStatus: (status: SettableStatus) => void,
  applyToIssue: (status: SettableStatus, issue: Issue) => void,
): void {
  const keys = useMemo(() => {
    const press = (status: SettableStatus) => () => {
      const id = document.activeElement?.closest<HTMLElement>('tr[data-row]')?.dataset['row']
      const focused = shown.find((issue) => issue.id === id)
      const meant = selected.length > 0 ? selected : focused ? [focused] : []
      if (!commonActions(meant.map((issue) => issue.status)).includes(status)) return
      if (selected.length > 0) applyStatus(status)
      else if (focused) applyToIssue(status, focused)
    }
    return { r: press('STATUS_RESOLVED'), i: press('STATUS_IGNORED'), o: press('STATUS_OPEN') }
  }, [selected, shown, applyStatus, applyToIssue])
  useKeys(keys)
}
