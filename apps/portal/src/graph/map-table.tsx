/** The map as tables: the most affected products, the most connected nodes, and all links. */
import { Fragment, useState } from 'react'
import { KindGlyph } from '#graph/kind-glyph.tsx'
import { isOutlined, nodesByDegree, type Kind, kindLabels, affectedProducts, type MapGraph } from '#graph/model.ts'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Severity } from '#ui/severity.tsx'
import { Cell, HeaderCell, Table } from '#ui/table.tsx'

interface MapTableProps {
  readonly graph: MapGraph
  readonly onNode: (node: number) => void
}

const maxListed = 5
const rowsPerPage = 100
const maxLinkedNames = 6

export function MapTable({ graph, onNode }: MapTableProps) {
  const [rows, setRows] = useState(rowsPerPage)
  const order = nodesByDegree(graph)
  const most = (kind: Kind) => order.filter((index) => graph.nodes[index]?.kind === kind).slice(0, maxListed)
  return (
    <div className="min-w-0 flex-1 pb-6">
      <div className="ruled g-3">
        <AffectedProducts graph={graph} onNode={onNode} />
        <MostConnected graph={graph} title="Most connected threats" indexes={most('threat')} onNode={onNode} />
        <MostConnected graph={graph} title="Most connected hosts" indexes={most('host')} onNode={onNode} />
      </div>
      <Table label="Map nodes, most connected first">
        <thead>
          <tr>
            <HeaderCell width={320}>Node</HeaderCell>
            <HeaderCell width={170}>Kind</HeaderCell>
            <HeaderCell width={80} align="end">
              Links
            </HeaderCell>
            <HeaderCell priority={2}>Linked to</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {order.slice(0, rows).map((index) => (
            <NodeRow key={graph.nodes[index]?.id} graph={graph} index={index} onNode={onNode} />
          ))}
        </tbody>
      </Table>
      {order.length > rows && (
        <p className="px-(--gl-gutter) py-3">
          <Button size="sm" onClick={() => setRows(rows + rowsPerPage)}>
            Show more ({formatNumber(order.length - rows)} remaining)
          </Button>
        </p>
      )}
    </div>
  )
}

/** The products with the most threats. */
function AffectedProducts({ graph, onNode }: MapTableProps) {
  const best = affectedProducts(graph).slice(0, maxListed)
  const [first] = best
  return (
    <section aria-labelledby="affected-products">
      <h2 id="affected-products" className="text-14 leading-5 font-semibold">
        Most affected products
      </h2>
      {first ? (
        <p className="mt-1 text-ink-2">
          {graph.nodes[first.index]?.name} accounts for {countText(first.threats, 'threat')} on{' '}
          {countText(first.hosts, 'host')}.
        </p>
      ) : (
        <p className="mt-1 text-ink-2">No threats on this map.</p>
      )}
      <NodeList
        graph={graph}
        items={best.map((node) => ({ index: node.index, detail: countText(node.threats, 'threat') }))}
        onNode={onNode}
      />
    </section>
  )
}

interface MostConnectedProps extends MapTableProps {
  readonly title: string
  readonly indexes: readonly number[]
}
function MostConnected({ graph, title, indexes, onNode }: MostConnectedProps) {
  return (
    <section aria-label={title}>
      <h2 className="text-14 leading-5 font-semibold">{title}</h2>
      {indexes.length === 0 && <p className="mt-1 text-ink-2">None on this map.</p>}
      <NodeList
        graph={graph}
        items={indexes.map((index) => ({ index, detail: countText(graph.nodes[index]?.linked.length ?? 0, 'link') }))}
        onNode={onNode}
      />
    </section>
  )
}

interface NodeListProps extends MapTableProps {
  readonly items: readonly { readonly index: number; readonly detail: string }[]
}
function NodeList({ graph, items, onNode }: NodeListProps) {
  return (
    <ul className="mt-2">
      {items.map(({ index, detail }) => {
        const node = graph.nodes[index]
        return (
          node && (
            <li key={node.id}>
              <button
                type="button"
                onClick={() => onNode(index)}
                className="-mx-1.5 flex min-h-7 w-[calc(100%+.75rem)] items-center gap-2 rounded-md px-1.5 text-left hover:bg-n3"
              >
                <KindGlyph kind={node.kind} isOutline={isOutlined(node)} />
                <span className={cx('min-w-0 wrap-anywhere', node.kind === 'host' && 'font-mono')}>{node.name}</span>
                <span className="ml-auto flex-none text-ink-2 tabular-nums">{detail}</span>
              </button>
            </li>
          )
        )
      })}
    </ul>
  )
}

function NodeRow({ graph, index, onNode }: MapTableProps & { readonly index: number }) {
  const node = graph.nodes[index]
  if (!node) return null
  const linked = node.linked.slice(0, maxLinkedNames).flatMap((other) => graph.nodes[other] ?? [])
  const more = node.linked.length - linked.length
  const rest = more > 0 ? ` and ${formatNumber(more)} more` : ''
  return (
    <tr>
      <Cell primary label="Node">
        <button
          type="button"
          onClick={() => onNode(index)}
          title={node.name}
          className={cx(
            'max-w-full truncate rounded-[4px] text-left font-medium hover:underline',
            node.kind === 'host' && 'font-mono',
          )}
        >
          {node.name}
        </button>
      </Cell>
      <Cell label="Kind">
        <span className="flex items-center gap-2">
          <KindGlyph kind={node.kind} isOutline={isOutlined(node)} />
          {kindLabels[node.kind]}
          {node.severity && <Severity level={node.severity} />}
        </span>
      </Cell>
      <Cell label="Links" align="end">
        {formatNumber(node.linked.length)}
      </Cell>
      <Cell label="Linked to" priority={2}>
        <span className="text-ink-2" title={linked.map(({ name }) => name).join(', ') + rest}>
          {linked.map(({ id, name, kind }, at) => (
            <Fragment key={id}>
              {at > 0 && ', '}
              {kind === 'host' ? <span className="font-mono">{name}</span> : name}
            </Fragment>
          ))}
          {rest}
        </span>
      </Cell>
    </tr>
  )
}

function countText(count: number, word: string): string {
  return `${formatNumber(count)} ${count === 1 ? word : `${word}s`}`
}
