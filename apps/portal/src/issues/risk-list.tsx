/** `/risks/verified` and `/risks/potential`. */
import type { Verification } from '@glacis/contract/issue'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Radar, Rss, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSession } from '#identity/session.ts'
import { useEmptyView } from '#issues/empty-view.ts'
import { IssueList } from '#issues/issue-list.tsx'
import { byStatus, list, summary } from '#issues/queries.ts'
import { useIsView, ViewButton, ViewTabs } from '#issues/saved-views.tsx'
import { hasFilters, issuesInput, tabSearch, type RiskSearch, type RiskTab, riskTabs } from '#issues/search.ts'
import { useFeedGap } from '#onboarding/queries.ts'
import { active } from '#scans/queries.ts'
import { ButtonLink } from '#ui/button.tsx'
import { feedGapState } from '#ui/feed-gap.tsx'
import { ScopeLink } from '#ui/scope-link.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Tab, Tabs } from '#ui/tabs.tsx'

const pages = {
  VERIFICATION_VERIFIED: {
    route: getRouteApi('/_auth/risks/verified'),
    path: '/risks/verified',
    filter: 'VERIFICATION_FILTER_VERIFIED',
    title: 'Verified risks',
    lede: 'Each of these was confirmed by a check on at least one host.',
    word: 'verified',
  },
  VERIFICATION_UNVERIFIED: {
    route: getRouteApi('/_auth/risks/potential'),
    path: '/risks/potential',
    filter: 'VERIFICATION_FILTER_UNVERIFIED',
    title: 'Potential risks',
    lede: 'Inferred from software versions and banners; not yet confirmed by a check.',
    word: 'potential',
  },
} as const

const tabLabels: Readonly<Record<RiskTab, string>> = {
  open: 'Open',
  resolved: 'Resolved',
  ignored: 'Ignored',
  all: 'All',
}

interface IssueListPageProps {
  readonly verification: Verification
  /** The "Start scan" button, passed in because this module can't import it. */
  readonly startScan?: ReactNode
}

export function IssueListPage({ verification, startScan }: IssueListPageProps) {
  const page = pages[verification]
  const search: RiskSearch = page.route.useSearch()
  const navigate = page.route.useNavigate()
  const counts = useTabCounts(verification, search)
  const tab = search.status ?? 'open'
  const total = counts[tab]
  const { data: figures, isPending: isUnknown } = useQuery(summary())
  const isView = useIsView(page.path, search)
  const noMatches = useEmptyView(search, page.word)
  return (
    <div className="pg flex grow flex-col">
      <PageHead title={page.title} description={page.lede} />
      <Tabs label="Status">
        {riskTabs.map((status) => (
          <Tab
            key={status}
            to={page.path}
            search={tabSearch(status, search, isView)}
            activeOptions={{ includeSearch: false }}
            on={!isView && tab === status}
            resetScroll={false}
            count={isView ? undefined : counts[status]}
          >
            {tabLabels[status]}
          </Tab>
        ))}
        <ViewTabs path={page.path} search={search} />
      </Tabs>
      <IssueList
        key={`${verification} ${tab}`}
        verification={verification}
        search={search}
        onSearch={(to, { replace } = { replace: false }) => void navigate({ search: to, replace, resetScroll: false })}
        total={total === 'awaited' ? undefined : total}
        aside={<ViewButton path={page.path} search={search} />}
        noMatches={noMatches}
        empty={
          isUnknown ? undefined : (
            <NoRisks
              tab={tab}
              word={page.word}
              path={page.path}
              hasRisks={counts.all !== 0}
              figures={figures}
              startScan={startScan}
            />
          )
        }
      />
    </div>
  )
}

type TabCounts = Readonly<Partial<Record<RiskTab, number | 'awaited'>>>

/**
 * The latest point of the statistics, which the sidebar badges also show. Statistics ignore filters, so with filters only
 * the current tab has a count, taken from the list.
 */
function useTabCounts(verification: Verification, search: RiskSearch): TabCounts {
  const person = useSession()?.identity.id
  const isFiltered = hasFilters(search)
  const { data: shown } = useQuery({ ...list(issuesInput(search, verification, person)), enabled: isFiltered })
  const { filter } = pages[verification]
  const { data, isPending } = useQuery(byStatus({ period: 'PERIOD_QUARTER', filter: { verification: filter } }))
  if (isFiltered) return shown?.totalSizeIsExact === false ? {} : { [search.status ?? 'open']: shown?.totalSize }
  if (!data) return isPending ? { open: 'awaited', resolved: 'awaited', ignored: 'awaited', all: 'awaited' } : {}
  const last = (values: readonly number[]) => values.at(-1) ?? 0
  const open = last(data.open) + last(data.regressive)
  const [resolved, ignored] = [last(data.resolved), last(data.ignored)]
  return { open, resolved, ignored, all: open + resolved + ignored }
}

interface NoRisksProps {
  readonly tab: RiskTab
  readonly word: 'verified' | 'potential'
  readonly path: '/risks/verified' | '/risks/potential'
  /** False if no risk was ever found. */
  readonly hasRisks: boolean
  /** Undefined if loading failed; the empty state then says nothing about scans. */
  readonly figures: { readonly targetCount: number; readonly lastScanTime?: string | undefined } | undefined
  readonly startScan: ReactNode
}
function NoRisks({ tab, word, path, hasRisks, figures, startScan }: NoRisksProps) {
  const nvdGap = useFeedGap('NVD')
  if (figures && figures.lastScanTime === undefined)
    return <NoScansYet hasTargets={figures.targetCount > 0} startScan={startScan} />
  if (nvdGap && word === 'potential' && !hasRisks) {
    const { title, text } = feedGapState(nvdGap, 'which known vulnerabilities affect your software')
    return (
      <EmptyState icon={<Rss />} title={title}>
        {text}
      </EmptyState>
    )
  }
  if (tab !== 'open') {
    return <EmptyState icon={<ShieldCheck />} title={tab === 'all' ? `No ${word} risks` : `No ${tab} ${word} risks`} />
  }
  return (
    <EmptyState
      icon={<ShieldCheck />}
      title={`No open ${word} risks`}
      actions={
        hasRisks && (
          <ButtonLink to={path} search={{ status: 'resolved' }} variant="secondary" size="sm">
            View resolved risks
          </ButtonLink>
        )
      }
    >
      {figures && (hasRisks ? 'Everything found so far is resolved or ignored. ' : "Scans haven't found any so far. ")}
      {figures && (figures.targetCount === 0 ? 'Add a target to scan it.' : 'Scheduled scans will list new ones here.')}
    </EmptyState>
  )
}

function NoScansYet({ hasTargets, startScan }: { readonly hasTargets: boolean; readonly startScan: ReactNode }) {
  const [running] = useQuery(active()).data?.scans ?? []
  if (running) {
    return (
      <EmptyState
        icon={<Radar />}
        title="First scan in progress"
        actions={
          <ButtonLink to="/scans/$id" params={{ id: running.id }} variant="secondary" size="sm">
            View scan
          </ButtonLink>
        }
      >
        Risks appear here as they are found.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={<Radar />}
      title="Nothing has been scanned yet"
      actions={hasTargets ? startScan : <ScopeLink hasTargets={false} />}
    >
      {hasTargets
        ? 'Start a scan of your targets to find their risks.'
        : "Add a host, address, or range you're authorized to scan. Its risks appear here after the first scan."}
    </EmptyState>
  )
}
