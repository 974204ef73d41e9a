/** The graph in the form the map uses: nodes by index, with their neighbors. */
import type { DependencyGraph, GraphNode } from '@glacis/contract/insights'
import type { Link } from '#graph/layout.ts'
import { type SeverityLevel, severityLevel } from '#ui/severity.tsx'

export type Kind = 'product' | 'host' | 'threat' | 'other'

export interface MapNode {
  readonly id: string
  readonly name: string
  readonly kind: Kind
  /** Of a threat. */
  readonly severity?: SeverityLevel
  /** Indexes of the linked nodes. */
  readonly linked: readonly number[]
}
export interface MapGraph {
  readonly nodes: readonly MapNode[]
  readonly links: readonly Link[]
  readonly byId: ReadonlyMap<string, number>
}

const kinds: Readonly<Record<string, Kind>> = {
  KIND_PRODUCT: 'product',
  KIND_HOST: 'host',
  KIND_THREAT: 'threat',
}
export const kindOrder: readonly Kind[] = ['product', 'host', 'threat', 'other']
export const kindLabels: Readonly<Record<Kind, string>> = {
  product: 'Product',
  host: 'Host',
  threat: 'Threat',
  other: 'Other',
}

export function kindOf(node: GraphNode): Kind {
  return kinds[node.kind] ?? 'other'
}

/** Less than high: drawn as an outline, so that severe threats stand out without another color. */
export function isOutlined({ severity }: Pick<MapNode, 'severity'>): boolean {
  return severity !== undefined && severity !== 'critical' && severity !== 'high'
}

/** Omits hidden kinds and links with a missing endpoint. */
export function toMapGraph(graph: DependencyGraph, hidden: readonly Kind[] = []): MapGraph {
  const shown = graph.nodes.filter((node) => !hidden.includes(kindOf(node)))
  const byId = new Map(shown.map((node, index) => [node.id, index]))
  const links = graph.links.flatMap(({ sourceNodeId, targetNodeId }) => {
    const [source, target] = [byId.get(sourceNodeId), byId.get(targetNodeId)]
    return source === undefined || target === undefined ? [] : [{ source, target }]
  })
  const linked = shown.map(() => new Set<number>())
  for (const { source, target } of links) {
    linked[source]?.add(target)
    linked[target]?.add(source)
  }
  return {
    nodes: shown.map((node, index) => ({
      id: node.id,
      name: node.name,
      kind: kindOf(node),
      ...(node.severity && { severity: severityLevel(node.severity) }),
      linked: [...(linked[index] ?? [])],
    })),
    links,
    byId,
  }
}

/** Node indexes, most connected first; ties by name. */
export function nodesByDegree({ nodes }: MapGraph): number[] {
  return [...nodes.keys()].toSorted((a, b) => {
    const [first, second] = [nodes[a], nodes[b]]
    if (!first || !second) return 0
    return second.linked.length - first.linked.length || first.name.localeCompare(second.name)
  })
}

export interface AffectedProduct {
  readonly index: number
  readonly threats: number
  readonly hosts: number
}

/** The products with threats, those with the most threats first. */
export function affectedProducts({ nodes }: MapGraph): AffectedProduct[] {
  return nodes
    .flatMap((node, index) => {
      if (node.kind !== 'product') return []
      const count = (kind: Kind) => node.linked.filter((other) => nodes[other]?.kind === kind).length
      return [{ index, threats: count('threat'), hosts: count('host') }]
    })
    .filter((product) => product.threats > 0)
    .toSorted((a, b) => b.threats - a.threats || b.hosts - a.hosts || a.index - b.index)
}
