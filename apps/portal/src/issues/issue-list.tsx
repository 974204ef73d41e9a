/** A list of issues with its filters, its bulk bar and its pages; the address holds the state. */
import type { Issue, Verification } from '@glacis/contract/issue'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { useSession } from '#identity/session.ts'
import { offeredForAll } from '#issues/actions.ts'
import { BulkBar } from '#issues/bulk-bar.tsx'
import { useDecider } from '#issues/decide.tsx'
import { IssuePreview } from '#issues/issue-preview.tsx'
import { IssueTable } from '#issues/issue-table.tsx'
import { type ChosenStatus, list } from '#issues/queries.ts'
import { RiskFilters } from '#issues/risk-filters.tsx'
import { hasFilters, issueFilter, issuesInput, type RiskSearch, withoutFilters } from '#issues/search.ts'
import { keepShown, nothingSelected, pick, pickAll } from '#lib/selection.ts'
import { useKeys } from '#lib/keyboard.ts'
import { useSteady } from '#lib/steady.ts'
import { ListBody, ListPager } from '#ui/list.tsx'

export interface IssueListProps {
  readonly search: RiskSearch
  /** Whose issues, where the path says so and not the search. */
  readonly place?: Pick<RiskSearch, 'target' | 'asset'>
  /** Changes the address; `replace` while somebody types. */
  readonly onSearch: (search: RiskSearch, options?: { readonly replace: boolean }) => void
  /** Left out, verified and potential issues stand together and the potential ones are marked. */
  readonly verification?: Verification
  /** The tools row; the filters of a risk list unless given. */
  readonly tools?: ReactNode
  /** Stands among the tools of a risk list. */
  readonly aside?: ReactNode
  /** How many the tab holds, as far as another call has told. */
  readonly total?: number | undefined
  readonly hidesHosts?: boolean
  /** Undefined while it is not known yet which of several it is: the list is on its way until then. */
  readonly empty: ReactNode
}

/** Everything under the tabs of a risk list. */
export function IssueList(props: IssueListProps) {
  const { search, place, onSearch, verification, tools, aside, total, hidesHosts, empty } = props
  const person = useSession()?.identity.id
  const query = useQuery(list(issuesInput({ ...search, ...place }, verification, person)))
  const isFiltered = hasFilters(search)
  const answer = query.data?.issues
  const issues = answer?.length === 0 && !isFiltered && empty === undefined ? undefined : answer
  const [previewed, preview] = usePreviewed(issues)
  const { totalSize = total, totalSizeIsExact = true } = query.data ?? {}
  const filter = issueFilter({ ...search, ...place }, verification, person)
  const picking = usePicking(issues ?? [])
  const decider = useDecider((skipped) => picking.keep(skipped))
  const decide = (status: ChosenStatus) =>
    decider.decide(status, {
      issues: picking.issues,
      ...(picking.isAll && { all: { filter, total: totalSize ?? picking.issues.length } }),
    })
  const decideOne = useSteady((status: ChosenStatus, issue: Issue) => decider.decide(status, { issues: [issue] }))
  useDecideKeys(picking.issues, issues ?? [], decide, decideOne)
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
          onDecide={decide}
          busyWith={decider.busyWith}
        />
      ) : (
        (tools ?? (
          <RiskFilters
            search={search}
            filter={filter}
            aside={aside}
            onSearch={onSearch}
            isPicking={picking.isOnPhone}
            onPicking={picking.toggleOnPhone}
          />
        ))
      )}
      <ListBody
        what="Risks"
        query={query}
        count={issues?.length}
        isFiltered={isFiltered}
        onClear={() => onSearch(withoutFilters(search))}
        empty={empty}
      >
        <IssueTable
          label="Risks"
          issues={issues}
          sort={search.sort ?? 'recent'}
          onSort={(sort) => change({ sort: sort === 'recent' ? undefined : sort })}
          isMixed={verification === undefined}
          hidesHosts={hidesHosts ?? false}
          isLocal={place !== undefined}
          picking={picking.table}
          rowActions={{ onPreview: preview, onDecide: decideOne }}
        />
      </ListBody>
      <IssuePreview
        issues={issues ?? []}
        id={previewed}
        onShow={preview}
        onDecide={decideOne}
        dialogs={previewed && decider.dialogs}
      />
      {!previewed && decider.dialogs}
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
 * The risk that is shown beside the list. Where it leaves the list, as it was decided, the one that takes its place is
 * shown, or the last: whoever goes through many of them decides and goes on.
 */
function usePreviewed(issues: readonly Issue[] | undefined) {
  const [shown, setShown] = useState<{ readonly id: string; readonly at: number }>()
  const placeOf = (id: string | undefined) => issues?.findIndex((issue) => issue.id === id) ?? -1
  const show = useSteady((id: string | undefined) => setShown(id === undefined ? undefined : { id, at: placeOf(id) }))
  const at = placeOf(shown?.id)
  if (shown && issues && at !== shown.at) {
    const next = issues[at < 0 ? Math.min(shown.at, issues.length - 1) : at]
    setShown(next && { id: next.id, at: placeOf(next.id) })
  }
  return [shown?.id, show] as const
}

/** The picked rows of a page, or all that match when that was asked for. */
function usePicking(shown: readonly Issue[]) {
  const [picked, setPicked] = useState(nothingSelected)
  const [isAll, setIsAll] = useState(false)
  const [isOnPhone, setIsOnPhone] = useState(false)
  const rows = shown.map(({ id }) => id)
  const selection = keepShown(picked, rows)
  const choose = (next: typeof selection) => {
    setPicked(next)
    setIsAll(false)
  }
  return {
    issues: shown.filter(({ id }) => selection.ids.has(id)),
    isAll: isAll && selection.ids.size > 0,
    isOnPhone,
    all: () => setIsAll(true),
    /** Keeps only these picked: what was left as it was, or nothing. */
    keep: (ids: readonly string[]) => choose({ ids: new Set(ids), anchor: undefined }),
    toggleOnPhone: () => setIsOnPhone(!isOnPhone),
    table: {
      selection,
      isOnPhone: isOnPhone || selection.ids.size > 0,
      onPick: (id: string, isRange: boolean) => choose(pick(selection, rows, id, isRange)),
      onPickAll: () => choose(pickAll(selection, rows)),
      onClear: () => choose(nothingSelected),
    },
  }
}

/** `r`, `i` and `o` decide about the picked rows, or about the one that holds the focus. */
function useDecideKeys(
  picked: readonly Issue[],
  shown: readonly Issue[],
  decide: (status: ChosenStatus) => void,
  decideOne: (status: ChosenStatus, issue: Issue) => void,
): void {
  const keys = useMemo(() => {
    const press = (status: ChosenStatus) => () => {
      const id = document.activeElement?.closest<HTMLElement>('tr[data-row]')?.dataset['row']
      const focused = shown.find((issue) => issue.id === id)
      const meant = picked.length > 0 ? picked : focused ? [focused] : []
      if (!offeredForAll(meant.map((issue) => issue.status)).includes(status)) return
      if (picked.length > 0) decide(status)
      else if (focused) decideOne(status, focused)
    }
    return { r: press('STATUS_RESOLVED'), i: press('STATUS_IGNORED'), o: press('STATUS_OPEN') }
  }, [picked, shown, decide, decideOne])
  useKeys(keys)
}
