/** What an agent reports about its own machine: packages, listening sockets, and containers. */
import type { AgentInventory, AgentPackage } from '@glacis/contract/agent'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { machine, packages } from '#agents/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { Block } from '#ui/card.tsx'
import { SearchField } from '#ui/filter-bar.tsx'
import { LoadMore } from '#ui/load-more.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { Severity, severityLevel } from '#ui/severity.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { SectionError } from '#ui/states.tsx'
import { Cell, HeaderCell, Table } from '#ui/table.tsx'

interface MachineInventoryProps {
  readonly agentId: string
  /** The search text for packages. */
  readonly q: string
  readonly onSearch: (q: string) => void
}

/** Renders a sentence until the agent has reported. */
export function MachineInventory({ agentId, q, onSearch }: MachineInventoryProps) {
  const query = useQuery(machine(agentId))
  if (query.isError && !query.data)
    return (
      <Block title="Installed software">
        <SectionError what="Installed software" onRetry={() => void query.refetch()} />
      </Block>
    )
  const inventory = query.data?.inventory
  if (query.data && !inventory)
    return (
      <Block title="Installed software">
        <p className="text-ink-2">Nothing reported yet. The agent reports within a minute while it's connected.</p>
      </Block>
    )
  return (
    <>
      <Block title={<Counted title="Installed software" count={inventory?.packageCount} />}>
        {inventory && <Summary inventory={inventory} />}
        <Packages agentId={agentId} q={q} onSearch={onSearch} />
      </Block>
      {inventory && <Sockets sockets={inventory.sockets} />}
      {inventory && <Containers containers={inventory.containers} />}
    </>
  )
}

function Counted({ title, count }: { readonly title: string; readonly count: number | undefined }) {
  return (
    <>
      {title}
      {count !== undefined && <span className="ml-2 font-normal text-ink-3 tabular-nums">{formatNumber(count)}</span>}
    </>
  )
}

function Summary({ inventory }: { readonly inventory: AgentInventory }) {
  const { system, kernel, reportTime, vulnerablePackageCount: count, isMatched } = inventory
  return (
    <p className="text-ink-2">
      {system}, kernel {kernel}. Reported <RelativeTime value={reportTime} />.{' '}
      {isMatched
        ? `${count === 0 ? 'No package lacks' : count === 1 ? '1 package lacks' : `${formatNumber(count)} packages lack`} a published security fix.`
        : "Advisories for this system aren't available, so its packages aren't matched."}
    </p>
  )
}

function Packages({ agentId, q, onSearch }: MachineInventoryProps) {
  const query = useInfiniteQuery(packages(agentId, q))
  const rows = query.data?.pages.flatMap((page) => page.packages)
  return (
    <>
      <div className="my-3 max-w-80">
        <SearchField label="Search packages" value={q} onChange={onSearch} />
      </div>
      {query.isError && !query.data && <SectionError what="Packages" onRetry={() => void query.refetch()} />}
      {rows?.length === 0 && <p className="text-ink-2">{q === '' ? 'No packages.' : 'No packages match.'}</p>}
      {rows?.length !== 0 && !(query.isError && !query.data) && (
        <Table label="Installed packages" fit="text">
          <thead>
            <tr>
              <HeaderCell>Package</HeaderCell>
              <HeaderCell className="w-[26%]">Version</HeaderCell>
              <HeaderCell className="w-[44%]">Missing fixes</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {rows ? (
              rows.map((item) => <PackageRow key={keyOf(item)} item={item} />)
            ) : (
              <SkeletonRows rows={5} columns={3} />
            )}
          </tbody>
        </Table>
      )}
      <LoadMore query={query} size="sm" className="mt-3" />
    </>
  )
}

const keyOf = ({ manager, name, architecture, version }: AgentPackage) =>
  [manager, name, architecture, version].join(' ')

/** More are counted. */
const shownMax = 3

function PackageRow({ item }: { readonly item: AgentPackage }) {
  const { name, version, source, vulnerabilities } = item
  const more = vulnerabilities.length - shownMax
  return (
    <tr>
      <Cell label="Package" primary title={source === name ? name : `${name}, from source package ${source}`}>
        <span className="ttl truncate">{name}</span>
      </Cell>
      <Cell label="Version" quiet title={version}>
        <span className="font-mono text-12">{version}</span>
      </Cell>
      <Cell label="Missing fixes">
        {vulnerabilities.length > 0 && (
          <ul className="grid gap-1 py-1">
            {vulnerabilities.slice(0, shownMax).map(({ key, category, fixedVersion, issueId }) => (
              <li key={key} className="flex min-w-0 flex-wrap items-center gap-x-2">
                <Severity level={severityLevel(category)} />
                {issueId ? (
                  <Link to="/risks/$id" params={{ id: issueId }} className="font-mono text-12 underline">
                    {key}
                  </Link>
                ) : (
                  <span className="font-mono text-12">{key}</span>
                )}
                <span className="text-12 wrap-anywhere text-ink-2">fixed in {fixedVersion}</span>
              </li>
            ))}
            {more > 0 && <li className="text-12 text-ink-2">and {formatNumber(more)} more</li>}
          </ul>
        )}
      </Cell>
    </tr>
  )
}

function Sockets({ sockets }: { readonly sockets: AgentInventory['sockets'] }) {
  return (
    <ItemBlock title="Listening sockets" count={sockets.length} empty="No listening sockets.">
      <thead>
        <tr>
          <HeaderCell width={120}>Port</HeaderCell>
          <HeaderCell>Address</HeaderCell>
          <HeaderCell className="w-[40%]">Process</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {sockets.map(({ transport, address, port, process }) => (
          <tr key={`${transport} ${address} ${port} ${process}`}>
            <Cell label="Port" primary>
              <span className="ttl font-mono">
                {port}/{transport}
              </span>
            </Cell>
            <Cell label="Address" quiet>
              <span className="font-mono">{isAny(address) ? 'All addresses' : address}</span>
            </Cell>
            <Cell label="Process" quiet>
              {process || 'Not visible to the agent'}
            </Cell>
          </tr>
        ))}
      </tbody>
    </ItemBlock>
  )
}

const isAny = (address: string) => address === '0.0.0.0' || address === '::'

function Containers({ containers }: { readonly containers: AgentInventory['containers'] }) {
  return (
    <ItemBlock
      title="Containers"
      count={containers.length}
      empty="No running containers, or the agent can't access the Docker or Podman socket."
    >
      <thead>
        <tr>
          <HeaderCell>Name</HeaderCell>
          <HeaderCell className="w-[50%]">Image</HeaderCell>
          <HeaderCell width={120}>Ports</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {containers.map(({ id, name, image, imageId, ports }) => (
          <tr key={id}>
            <Cell label="Name" primary title={id}>
              <span className="ttl truncate">{name || id.slice(0, 12)}</span>
            </Cell>
            <Cell label="Image" quiet title={imageId}>
              <span className="font-mono text-12">{image}</span>
            </Cell>
            <Cell label="Ports" quiet>
              {ports.join(', ')}
            </Cell>
          </tr>
        ))}
      </tbody>
    </ItemBlock>
  )
}

interface ItemBlockProps {
  readonly title: string
  readonly count: number
  readonly empty: string
  /** Head and body of the table. */
  readonly children: ReactNode
}

function ItemBlock({ title, count, empty, children }: ItemBlockProps) {
  return (
    <Block title={<Counted title={title} count={count} />}>
      {count === 0 ? (
        <p className="text-ink-2">{empty}</p>
      ) : (
        <Table label={title} fit="text">
          {children}
        </Table>
      )}
    </Block>
  )
}
