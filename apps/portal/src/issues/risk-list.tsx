/** `/risks/verified` and `/risks/potential`. */
import type { Verification } from '@glacis/contract/issue'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus, Radar, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSession } from '#identity/session.ts'
import { IssueList } from '#issues/issue-list.tsx'
import { byStatus, list, summary } from '#issues/queries.ts'
import { useIsView, ViewButton, ViewTabs } from '#issues/saved-views.tsx'
import { hasFilters, issuesInput, ofTab, type RiskSearch, type RiskTab, riskTabs } from '#issues/search.ts'
import { pageWords } from '#lib/page-words.ts'
import { active } from '#scans/queries.ts'
import { ButtonLink } from '#ui/button.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Tab, Tabs } from '#ui/tabs.tsx'

const pages = {
  VERIFICATION_VERIFIED: {
    route: getRouteApi('/_auth/risks/verified'),
    path: '/risks/verified',
    filter: 'VERIFICATION_FILTER_VERIFIED',
    ...pageWords.verified,
    word: 'verified',
  },
  VERIFICATION_UNVERIFIED: {
    route: getRouteApi('/_auth/risks/potential'),
    path: '/risks/potential',
    filter: 'VERIFICATION_FILTER_UNVERIFIED',
    ...pageWords.potential,
    word: 'potential',
  },
} as const

const tabWords: Readonly<Record<RiskTab, string>> = {
  open: 'Open',
  resolved: 'Resolved',
  ignored: 'Ignored',
  all: 'All',
}

interface IssueListPageProps {
  readonly verification: Verification
  /** The button that starts a scan, which belongs to another room. */
  readonly startScan?: ReactNode
}

/** One kind of risks: what is open first, the rest behind tabs. */
export function IssueListPage({ verification, startScan }: IssueListPageProps) {
  const page = pages[verification]
  const search: RiskSearch = page.route.useSearch()
  const navigate = page.route.useNavigate()
  const counts = useTabCounts(verification, search)
  const tab = search.status ?? 'open'
  const total = counts[tab]
  const { data: figures, isPending: isUnknown } = useQuery(summary())
  const isView = useIsView(page.path, search)
  return (
    <div className="pg flex grow flex-col">
      <PageHead title={page.title} description={page.lede} />
      <Tabs label="Status">
        {riskTabs.map((status) => (
          <Tab
            key={status}
            to={page.path}
            search={ofTab(status, search, isView)}
            activeOptions={{ includeSearch: false }}
            on={!isView && tab === status}
            resetScroll={false}
            count={counts[status]}
          >
            {tabWords[status]}
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
        empty={
          isUnknown ? undefined : (
            <NoRisks
              tab={tab}
              word={page.word}
              path={page.path}
              hasFound={counts.all !== 0}
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
 * The last point of the statistics is now; it is what the badges in the menu read too. They know no filters: where
 * one is on, only the list knows a count, which is that of its own tab.
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
  readonly word: string
  readonly path: '/risks/verified' | '/risks/potential'
  /** False where it is known that there has been none. */
  readonly hasFound: boolean
  /** Undefined where they could not be read: nothing is claimed of scans then. */
  readonly figures: { readonly targetCount: number; readonly lastScanTime?: string | undefined } | undefined
  readonly startScan: ReactNode
}
function NoRisks({ tab, word, path, hasFound, figures, startScan }: NoRisksProps) {
  if (figures && figures.lastScanTime === undefined)
    return <NothingScanned hasTargets={figures.targetCount > 0} startScan={startScan} />
  if (tab !== 'open') {
    return <EmptyState icon={<ShieldCheck />} title={tab === 'all' ? `No ${word} risks` : `No ${tab} ${word} risks`} />
  }
  return (
    <EmptyState
      icon={<ShieldCheck />}
      title={`No open ${word} risks`}
      actions={
        hasFound && (
          <ButtonLink to={path} search={{ status: 'resolved' }} variant="secondary" size="sm">
            See resolved risks
          </ButtonLink>
        )
      }
    >
      {figures && (hasFound ? 'Everything found so far is resolved or ignored. ' : 'No scan has found any so far. ')}
      {figures &&
        (figures.targetCount === 0 ? 'Without a target nothing is scanned.' : 'Scheduled scans go on by themselves.')}
    </EmptyState>
  )
}

function NothingScanned({ hasTargets, startScan }: { readonly hasTargets: boolean; readonly startScan: ReactNode }) {
  const [running] = useQuery(active()).data?.scans ?? []
  if (running) {
    return (
      <EmptyState
        icon={<Radar />}
        title="The first scan is under way"
        actions={
          <ButtonLink to="/scans/$id" params={{ id: running.id }} variant="secondary" size="sm">
            Watch the scan
          </ButtonLink>
        }
      >
        Risks appear here as hosts are scanned.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={<Radar />}
      title={pageWords.verified.empty.title}
      actions={
        hasTargets ? (
          startScan
        ) : (
          <ButtonLink to="/scope" search={{ create: true }} variant="primary" size="sm" icon={<Plus />}>
            New target
          </ButtonLink>
        )
      }
    >
      {hasTargets ? 'Risks appear here when the first scan has finished.' : pageWords.verified.empty.text}
    </EmptyState>
  )
}
