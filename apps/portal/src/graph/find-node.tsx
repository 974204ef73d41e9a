import { useId, useState } from 'react'
import { KindGlyph } from '#graph/kind-glyph.tsx'
import { isOutlined, type MapGraph } from '#graph/model.ts'
import { SearchField } from '#ui/filter-bar.tsx'

interface FindNodeProps {
  readonly graph: MapGraph
  readonly onNode: (node: number) => void
}

const maxMatches = 8

/** Searches nodes by name. Enter shows the first match on the map. */
export function FindNode({ graph, onNode }: FindNodeProps) {
  const [text, setText] = useState('')
  const listId = useId()
  const results = text.trim() === '' ? [] : matches(graph, text.trim().toLowerCase())
  const go = (index: number) => {
    setText('')
    onNode(index)
  }
  return (
    <search className="max-md:flex-[1_1_180px] max-md:[&_search]:w-full">
      <form
        className="relative"
        onSubmit={(event) => {
          event.preventDefault()
          if (results[0] !== undefined) go(results[0])
        }}
      >
        <SearchField label="Find a node" value={text} onChange={setText} />
        {text.trim() !== '' && (
          <ul
            id={listId}
            aria-label="Matching nodes"
            className="absolute top-full left-0 z-(--gl-z-menu) mt-1 w-72 rounded-lg bg-raised p-1 shadow-menu"
          >
            {results.map((index) => {
              const node = graph.nodes[index]
              return (
                node && (
                  <li key={node.id}>
                    <button
                      type="button"
                      onClick={() => go(index)}
                      title={node.name}
                      className="flex min-h-8 w-full items-center gap-2 rounded-md px-2 text-left text-13 hover:bg-raised-hover"
                    >
                      <KindGlyph kind={node.kind} isOutline={isOutlined(node)} />
                      <span className="min-w-0 truncate">{node.name}</span>
                    </button>
                  </li>
                )
              )
            })}
            {results.length === 0 && <li className="px-2 py-1.5 text-13 text-ink-2">No matching nodes</li>}
          </ul>
        )}
      </form>
    </search>
  )
}

/** Names that start with the text come before those that contain it. */
function matches({ nodes }: MapGraph, text: string): number[] {
  const indexIn = (index: number) => nodes[index]?.name.toLowerCase().indexOf(text) ?? -1
  return [...nodes.keys()]
    .filter((index) => indexIn(index) >= 0)
    .toSorted((a, b) => Math.min(indexIn(a), 1) - Math.min(indexIn(b), 1))
    .slice(0, maxMatches)
}
