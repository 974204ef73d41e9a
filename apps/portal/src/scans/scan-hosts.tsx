/** The addresses that a scan probed, with their results. */
import { Fragment } from 'react'
import type { ResultOf } from '@glacis/contract/endpoint'
import type { listScanHosts, Scan, ScanHostState, ScannedHost } from '@glacis/contract/scan'
import { useQuery } from '@tanstack/react-query'
import { Server } from 'lucide-react'
import { formatNumber } from '#lib/format.ts'
import { hosts as hostsQuery, isActive } from '#scans/queries.ts'
import type { ScanPartSearch } from '#scans/search.ts'
import { Badge, type BadgeVariant } from '#ui/badge.tsx'
import { FilterBar, FilterToggle, SearchField } from '#ui/filter-bar.tsx'
import { ListBody, ListPager } from '#ui/list.tsx'
import { SeverityCells, SeverityHeads } from '#ui/severity-columns.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'
import { TableBody } from '#ui/table-body.tsx'

interface ScanHostsProps {
  readonly scan: Scan
  readonly search: ScanPartSearch
  readonly onSearch: (search: ScanPartSearch, replace?: boolean) => void
}

const states: Readonly<Record<NonNullable<ScanPartSearch['state']>[number], ScanHostState>> = {
  affected: 'STATE_AFFECTED',
  scanned: 'STATE_SCANNED',
  silent: 'STATE_NOTHING_OPEN',
  away: 'STATE_NOT_REACHED',
}
const stateLabels: Readonly<Record<ScanHostState, string>> = {
  STATE_AFFECTED: 'Affected',
  STATE_SCANNED: 'Not affected',
  STATE_NOTHING_OPEN: 'No open ports',
  STATE_NOT_REACHED: 'Unreachable',
}
const stateVariants: Readonly<Record<ScanHostState, BadgeVariant>> = {
  STATE_AFFECTED: 'orange',
  STATE_SCANNED: 'green',
  STATE_NOTHING_OPEN: 'gray',
  STATE_NOT_REACHED: 'gray',
}

export function ScanHosts({ scan, search, onSearch }: ScanHostsProps) {
  const { q, state = [], size, after } = search
  const filter = { query: q || undefined, states: state.length > 0 ? state.map((word) => states[word]) : undefined }
  const query = useQuery(
    hostsQuery({ id: scan.id, pageSize: size ?? 25, pageToken: after?.at(-1), filter }, { isRunning: isActive(scan) }),
  )
  const hosts = query.data?.hosts
  const set = (change: ScanPartSearch, replace = false) => onSearch({ ...search, after: undefined, ...change }, replace)
  const clear = () => set({ q: undefined, state: undefined })
  const isFiltered = Boolean(q || state.length > 0)
  return (
    <section aria-label="Hosts">
      <FilterBar
        search={
          <SearchField label="Search hosts" value={q ?? ''} onChange={(text) => set({ q: text || undefined }, true)} />
        }
        activeCount={[q, state.length].filter(Boolean).length}
        onClear={clear}
        filters={
          <StateToggles counts={query.data?.counts} chosen={state} onChoose={(chosen) => set({ state: chosen })} />
        }
      />
      <ListBody
        what="Hosts"
        query={query}
        count={hosts?.length}
        isFiltered={isFiltered}
        onClear={clear}
        empty={
          <EmptyState icon={<Server />} title={isActive(scan) ? 'No hosts yet' : 'No hosts were scanned'}>
            {isActive(scan)
              ? 'No host has responded yet. Hosts appear here as each batch finishes.'
              : 'The scan ended before it probed any address. See the log for the reason.'}
          </EmptyState>
        }
      >
        <HostsTable hosts={hosts} />
      </ListBody>
      <ListPager
        after={after}
        size={size ?? 25}
        shown={hosts?.length ?? 0}
        page={query.data}
        onTurn={(to) => onSearch({ ...search, ...to })}
      />
    </section>
  )
}

type Counts = ResultOf<typeof listScanHosts>['counts']
type StateParam = NonNullable<ScanPartSearch['state']>[number]
interface StateTogglesProps {
  readonly counts: Counts | undefined
  readonly chosen: readonly StateParam[]
  readonly onChoose: (chosen: readonly StateParam[] | undefined) => void
}
function StateToggles({ counts, chosen, onChoose }: StateTogglesProps) {
  const shown: readonly (readonly [StateParam, number | undefined])[] = [
    ['affected', counts?.affected],
    ['scanned', counts?.scanned],
    ['silent', counts?.nothingOpen],
    ['away', counts?.notReached],
  ]
  const toggle = (word: StateParam, on: boolean) => {
    const next = on ? [...chosen, word] : chosen.filter((state) => state !== word)
    onChoose(next.length > 0 ? next : undefined)
  }
  return (
    <>
      {shown.map(([word, count]) => (
        <FilterToggle
          key={word}
          label={`${stateLabels[states[word]]}${count === undefined ? '' : ` ${formatNumber(count)}`}`}
          on={chosen.includes(word)}
          onChange={(on) => toggle(word, on)}
        />
      ))}
      {counts !== undefined && counts.excluded > 0 && (
        <span className="text-12 text-ink-3">{formatNumber(counts.excluded)} excluded from the scan</span>
      )}
    </>
  )
}

function HostsTable({ hosts }: { readonly hosts: readonly ScannedHost[] | undefined }) {
  return (
    <Table label="Hosts">
      <thead>
        <tr>
          <HeaderCell className="w-[30%]">Address</HeaderCell>
          <HeaderCell width={130}>State</HeaderCell>
          <HeaderCell priority={1}>Response</HeaderCell>
          <SeverityHeads />
        </tr>
      </thead>
      <TableBody>
        {!hosts && <SkeletonRows columns={7} />}
        {hosts?.map((host) => (
          <Fragment key={host.address}>
            <tr>
              <Cell label="Address" primary>
                <Address host={host} />
              </Cell>
              <Cell label="State">
                <Badge variant={stateVariants[host.state]}>{stateLabels[host.state]}</Badge>
              </Cell>
              <Cell label="Response" quiet priority={1} title={host.reason}>
                {host.reason}
              </Cell>
              <SeverityCells counts={host.hostId ? host.issueCount : undefined} />
            </tr>
            <StoppedChecks stopped={host.stopped} />
          </Fragment>
        ))}
      </TableBody>
    </Table>
  )
}

/** Checks that are neither found nor ruled out on a host. */
function StoppedChecks({ stopped }: Pick<ScannedHost, 'stopped'>) {
  if (stopped.length === 0) return null
  return (
    <tr>
      {/* The response column is hidden on narrow screens. */}
      <Cell colSpan={6} className="h-auto! whitespace-normal!">
        <details className="py-2">
          <summary>
            {stopped.length === 1 ? '1 check stopped' : `${formatNumber(stopped.length)} checks stopped`}
          </summary>
          <ul>
            {stopped.map(({ port, check, reason }) => (
              <li key={`${port} ${check}`}>
                <span className="font-mono">{check}</span>
                {port !== undefined && ` on port ${port}`}: {reason}
              </li>
            ))}
          </ul>
        </details>
      </Cell>
    </tr>
  )
}

function Address({ host: { address, name, hostId } }: { readonly host: ScannedHost }) {
  const content = (
    <>
      <span className="ttl truncate font-mono" title={name ?? address}>
        {name ?? address}
      </span>
      {name && <span className="flex-none font-mono text-ink-3">{address}</span>}
    </>
  )
  if (!hostId) return <span className="flex items-center gap-2">{content}</span>
  return (
    <CellLink to="/assets/$id" params={{ id: hostId }}>
      {content}
    </CellLink>
  )
}
