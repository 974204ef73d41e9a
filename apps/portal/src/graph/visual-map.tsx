/** `/risks/visual` */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ImageDown, Network, Table2, Waypoints } from 'lucide-react'
import { useMemo, useRef } from 'react'
import type { DependencyGraph } from '@glacis/contract/insights'
import type { MapController } from '#graph/controller.ts'
import { FindNode } from '#graph/find-node.tsx'
import { Legend } from '#graph/legend.tsx'
import { MapFilters } from '#graph/map-filters.tsx'
import { MapTable } from '#graph/map-table.tsx'
import { type Kind, kindOf, type MapGraph, toMapGraph } from '#graph/model.ts'
import { NetworkGraph } from '#graph/network-graph.tsx'
import { NodeCard } from '#graph/node-card.tsx'
import { ecosystem, layout } from '#graph/queries.ts'
import { activeFilterCount, ecosystemInput, type MapSearch } from '#graph/search.ts'
import { formatNumber } from '#lib/format.ts'
import { summary } from '#issues/queries.ts'
import { focusPageTitle } from '#lib/focus.ts'
import { Button } from '#ui/button.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { ScopeLink } from '#ui/scope-link.tsx'
import { EmptyState, ErrorState, loadErrorText } from '#ui/states.tsx'

const route = getRouteApi('/_auth/risks/visual')
const emptyGraph: DependencyGraph = { nodes: [], links: [] }

export function VisualMapPage() {
  const search: MapSearch = route.useSearch()
  const navigate = route.useNavigate()
  const set = (change: MapSearch, replace = false) =>
    void navigate({ search: { ...search, node: undefined, ...change }, replace, resetScroll: false })
  const { data, isError, error, refetch } = useQuery(ecosystem(ecosystemInput(search)))
  const { hide, view } = search
  const graph = useMemo(() => toMapGraph(data ?? emptyGraph, hide), [data, hide])
  const map = useRef<MapController>(null)
  const show = (index: number) => {
    if (view === 'table') focusPageTitle() // the focused button disappears with the table
    set({ node: graph.nodes[index]?.id, view: undefined }, true)
    map.current?.reveal(index)
  }
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title="Visual Map"
        description="How products, hosts, and threats connect. Select a node to see its links."
        actions={data && data.nodes.length > 0 && <Actions map={map} search={search} onSearch={set} />}
      />
      <MapFilters search={search} onSearch={set} find={<FindNode graph={graph} onNode={show} />} />
      {data && <TruncationNote graph={data} />}
      {isError && !data && (
        <ErrorState
          icon={<Waypoints />}
          title="The map couldn't be loaded"
          message={loadErrorText(error)}
          onRetry={() => void refetch()}
        />
      )}
      {!data && !isError && <MapSkeleton />}
      {data?.nodes.length === 0 && <EmptyMap search={search} onSearch={set} />}
      {data && data.nodes.length > 0 && view === 'table' && <MapTable graph={graph} onNode={show} />}
      {data && data.nodes.length > 0 && view !== 'table' && (
        <MapView data={data} graph={graph} search={search} onSearch={set} map={map} />
      )}
    </div>
  )
}

interface PartProps {
  readonly search: MapSearch
  readonly onSearch: (change: MapSearch, replace?: boolean) => void
}

function Actions({ map, search, onSearch }: PartProps & { readonly map: { readonly current: MapController | null } }) {
  const isTable = search.view === 'table'
  return (
    <>
      {!isTable && (
        <Button size="sm" icon={<ImageDown />} onClick={() => void save(map.current)}>
          <span className="max-md:sr-only">Export PNG</span>
        </Button>
      )}
      {/* The same button in both views, so that it keeps the focus. */}
      <Button
        size="sm"
        icon={isTable ? <Network /> : <Table2 />}
        onClick={() => onSearch({ view: isTable ? undefined : 'table' })}
      >
        {isTable ? 'View as map' : 'View as table'}
      </Button>
    </>
  )
}

async function save(map: MapController | null): Promise<void> {
  const picture = await map?.toPng()
  if (!picture) return
  const link = document.createElement('a')
  link.href = URL.createObjectURL(picture)
  link.download = 'visual-map.png'
  link.click()
  URL.revokeObjectURL(link.href)
}

/** "Showing 2'000 of 8'431 nodes": the API returns those with the highest risk. */
function TruncationNote({
  graph: { nodes, totalNodeCount, totalNodeCountIsExact },
}: {
  readonly graph: DependencyGraph
}) {
  if (totalNodeCount === undefined || totalNodeCount <= nodes.length) return null
  const total = `${totalNodeCountIsExact === false ? 'at least ' : ''}${formatNumber(totalNodeCount)}`
  return (
    <output className="block px-(--gl-gutter) pb-2 text-12 text-ink-2">
      Showing {formatNumber(nodes.length)} of {total} nodes, highest risk first.
    </output>
  )
}

function EmptyMap({ search, onSearch }: PartProps) {
  if (activeFilterCount(search) > 0) {
    const cleared = { target: undefined, tag: undefined, severity: undefined }
    return (
      <EmptyState
        icon={<Waypoints />}
        title="No results for these filters"
        actions={
          <Button
            size="sm"
            onClick={() => onSearch({ ...cleared, status: undefined, verification: undefined, kev: undefined })}
          >
            Clear filters
          </Button>
        }
      />
    )
  }
  return <NothingToMap />
}

function NothingToMap() {
  const { data: figures } = useQuery(summary())
  if (!figures) return null
  return (
    <EmptyState
      icon={<Waypoints />}
      title="Nothing to map yet"
      actions={<ScopeLink hasTargets={figures.targetCount > 0} />}
    >
      The map shows how products, hosts, and threats connect. It fills in when a scan finds risks.
    </EmptyState>
  )
}

interface MapViewProps extends PartProps {
  readonly data: DependencyGraph
  readonly graph: MapGraph
  readonly map: { current: MapController | null }
}

function MapView({ data, graph, search, onSearch, map }: MapViewProps) {
  const { hide = [], node } = search
  const { data: places, isError } = useQuery(layout([versionOf(data), ...hide], graph))
  const selected = node === undefined ? null : (graph.byId.get(node) ?? null)
  const open = selected === null ? undefined : graph.nodes[selected]
  const choose = (index: number | null) => onSearch({ node: index === null ? undefined : graph.nodes[index]?.id }, true)
  const isReady = places && places.points.length === graph.nodes.length
  return (
    <section
      aria-label="Map"
      className="relative min-h-110 flex-1 overflow-hidden border-t border-line bg-canvas bg-[radial-gradient(var(--gl-n6)_.75px,transparent_.9px)] bg-size-[24px_24px]"
    >
      {isReady && <NetworkGraph ref={map} graph={graph} layout={places} selected={selected} onNode={choose} />}
      {isError && (
        <ErrorState title="The map couldn't be drawn" message="Reload the page, or view the map as a table." />
      )}
      {!isReady && !isError && <p className="p-6 text-ink-2">Arranging {formatNumber(graph.nodes.length)} nodes…</p>}
      <Legend
        counts={countsOf(data)}
        hidden={hide}
        onToggle={(kind) => onSearch({ hide: toggled(hide, kind) }, true)}
      />
      {open && (
        <NodeCard
          graph={graph}
          node={open}
          onNode={(index) => {
            choose(index)
            map.current?.reveal(index)
          }}
          onClose={() => choose(null)}
        />
      )}
    </section>
  )
}

const graphVersions = new WeakMap<DependencyGraph, number>()
let lastVersion = 0

/** A unique number for each response, as a cache key for its layout. */
function versionOf(graph: DependencyGraph): number {
  const version = graphVersions.get(graph) ?? ++lastVersion
  graphVersions.set(graph, version)
  return version
}

function countsOf({ nodes }: DependencyGraph): Record<Kind, number> {
  const counts = { product: 0, host: 0, threat: 0, other: 0 }
  for (const node of nodes) counts[kindOf(node)]++
  return counts
}

function toggled(hidden: readonly Kind[], kind: Kind): readonly Kind[] | undefined {
  const next = hidden.includes(kind) ? hidden.filter((other) => other !== kind) : [...hidden, kind]
  return next.length > 0 ? next : undefined
}

/** The map's background while nodes are loading. */
function MapSkeleton() {
  return (
    <div
      aria-busy="true"
      className="min-h-110 flex-1 border-t border-line bg-canvas bg-[radial-gradient(var(--gl-n6)_.75px,transparent_.9px)] bg-size-[24px_24px]"
    />
  )
}
