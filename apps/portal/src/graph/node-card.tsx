import { ArrowRight, X } from 'lucide-react'
import { KindGlyph } from '#graph/kind-glyph.tsx'
import { isOutlined, type Kind, kindOrder, type MapGraph, type MapNode } from '#graph/model.ts'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { ButtonLink, IconButton } from '#ui/button.tsx'
import { Severity } from '#ui/severity.tsx'

interface NodeCardProps {
  readonly graph: MapGraph
  readonly node: MapNode
  readonly onNode: (node: number) => void
  readonly onClose: () => void
}

const headings: Readonly<Record<Kind, string>> = {
  product: 'Products',
  host: 'Hosts',
  threat: 'Threats',
  other: 'Other',
}
/** Further nodes are counted, not listed. */
const maxListed = 30

/** The selected node: its linked nodes and a link to its page. */
export function NodeCard({ graph, node, onNode, onClose }: NodeCardProps) {
  const groups = Map.groupBy(node.linked, (index) => graph.nodes[index]?.kind ?? 'other')
  return (
    <aside
      aria-label="Selected node"
      className="absolute top-4 right-4 flex max-h-[calc(100%-2rem)] w-75 flex-col rounded-lg bg-raised shadow-menu max-md:inset-x-0 max-md:top-auto max-md:bottom-0 max-md:max-h-[60%] max-md:w-full max-md:rounded-b-none"
    >
      <header className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-3.5 dark:border-line-strong">
        <KindGlyph kind={node.kind} isOutline={isOutlined(node)} />
        <h2
          className={cx(
            'min-w-0 flex-1 wrap-anywhere',
            node.kind === 'host' ? 'font-mono text-[12px]' : 'font-semibold',
          )}
        >
          {node.name}
        </h2>
        {node.severity && <Severity level={node.severity} />}
        <IconButton size="sm" variant="ghost" label="Close panel" icon={<X />} onClick={onClose} />
      </header>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable areas must be reachable by keyboard */}
      <section className="min-h-0 overflow-y-auto px-3.5 pt-2.5 pb-1" tabIndex={0} aria-label="Linked nodes">
        {node.linked.length === 0 && <p className="text-ink-2">No linked nodes.</p>}
        {kindOrder
          .filter((kind) => groups.has(kind))
          .map((kind) => (
            <Group key={kind} kind={kind} graph={graph} linked={groups.get(kind) ?? []} onNode={onNode} />
          ))}
      </section>
      <footer className="px-3.5 pt-1 pb-3.5">
        <OpenLink node={node} />
      </footer>
    </aside>
  )
}

interface GroupProps {
  readonly kind: Kind
  readonly graph: MapGraph
  readonly linked: readonly number[]
  readonly onNode: (node: number) => void
}
function Group({ kind, graph, linked, onNode }: GroupProps) {
  const more = linked.length - maxListed
  return (
    <>
      <h3 className="text-12 text-ink-2">{headings[kind]}</h3>
      <ul className="mt-1 mb-2">
        {linked.slice(0, maxListed).map((index) => (
          <li key={index}>
            <button
              type="button"
              onClick={() => onNode(index)}
              className="-mx-1.5 flex min-h-7 w-[calc(100%+.75rem)] items-center gap-2 rounded-md px-1.5 text-left text-13 hover:bg-raised-hover"
            >
              <KindGlyph kind={kind} isOutline={isOutlined(graph.nodes[index] ?? {})} />
              <span className={cx('min-w-0 wrap-anywhere', kind === 'host' && 'font-mono')}>
                {graph.nodes[index]?.name}
              </span>
            </button>
          </li>
        ))}
        {more > 0 && <li className="py-1 text-12 text-ink-2">and {formatNumber(more)} more</li>}
      </ul>
    </>
  )
}

const buttonLook = { size: 'sm', block: true } as const

function OpenLink({ node: { id, kind } }: { readonly node: MapNode }) {
  const arrow = <ArrowRight className="text-ink-3" />
  if (kind === 'product') {
    return (
      <ButtonLink {...buttonLook} to="/technologies/$id" params={{ id }}>
        Open technology {arrow}
      </ButtonLink>
    )
  }
  if (kind === 'host') {
    return (
      <ButtonLink {...buttonLook} to="/assets/$id" params={{ id }}>
        Open asset {arrow}
      </ButtonLink>
    )
  }
  if (kind === 'other') return null
  return (
    <ButtonLink {...buttonLook} to="/risks/$id" params={{ id }}>
      Open risk {arrow}
    </ButtonLink>
  )
}
