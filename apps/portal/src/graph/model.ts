/** The graph as the map works with it: nodes by number, and who is linked to whom. */
import type { DependencyGraph, GraphNode } from '@glacis/contract/insights'
import type { Springs } from '#graph/layout/constants.ts'

export type Kind = 'product' | 'host' | 'threat' | 'other'

export interface MapNode {
  readonly id: string
  readonly name: string
  readonly kind: Kind
  /** Numbers of the nodes it is linked to. */
  readonly linked: readonly number[]
}
export interface MapGraph {
  readonly nodes: readonly MapNode[]
  readonly springs: Springs
  readonly byId: ReadonlyMap<string, number>
}

const kinds: Readonly<Record<string, Kind>> = {
  KIND_PRODUCT: 'product',
  KIND_HOST: 'host',
  KIND_THREAT: 'threat',
}
export const kindOrder: readonly Kind[] = ['product', 'host', 'threat', 'other']
export const kindWords: Readonly<Record<Kind, string>> = {
  product: 'Product',
  host: 'Host',
  threat: 'Threat',
  other: 'Other',
}

export function kindOf(node: GraphNode): Kind {
  return kinds[node.kind] ?? 'other'
}

/** Leaves out the kinds that somebody hid, and links with a missing end. */
export function toMapGraph({ nodes, links }: DependencyGraph, hidden: readonly Kind[] = []): MapGraph {
  const shown = nodes.filter((node) => !hidden.includes(kindOf(node)))
  const byId = new Map(shown.map((node, index) => [node.id, index]))
  const ends = links.flatMap(({ sourceNodeId, targetNodeId }) => {
    const [source, target] = [byId.get(sourceNodeId), byId.get(targetNodeId)]
    return source === undefined || target === undefined ? [] : [{ source, target }]
  })
  const linked = shown.map(() => new Set<number>())
  for (const { source, target } of ends) {
    linked[source]?.add(target)
    linked[target]?.add(source)
  }
  return {
    nodes: shown.map((node, index) => ({
      id: node.id,
      name: node.name,
      kind: kindOf(node),
      linked: [...(linked[index] ?? [])],
    })),
    springs: {
      source: Int32Array.from(ends, ({ source }) => source),
      target: Int32Array.from(ends, ({ target }) => target),
    },
    byId,
  }
}

/** Numbers of the nodes, the most connected first; of two as connected, in the order of their names. */
export function byDegree({ nodes }: MapGraph): number[] {
  return [...nodes.keys()].toSorted((a, b) => {
    const [one, other] = [nodes[a], nodes[b]]
    if (!one || !other) return 0
    return other.linked.length - one.linked.length || one.name.localeCompare(other.name)
  })
}

export interface Lever {
  readonly index: number
  readonly threats: number
  readonly hosts: number
}

/** The products that most threats go through, those first whose update would remove most. */
export function levers({ nodes }: MapGraph): Lever[] {
  return nodes
    .flatMap((node, index) => {
      if (node.kind !== 'product') return []
      const count = (kind: Kind) => node.linked.filter((other) => nodes[other]?.kind === kind).length
      return [{ index, threats: count('threat'), hosts: count('host') }]
    })
    .filter((lever) => lever.threats > 0)
    .toSorted((a, b) => b.threats - a.threats || b.hosts - a.hosts || a.index - b.index)
}
