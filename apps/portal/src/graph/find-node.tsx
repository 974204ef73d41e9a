import { useId, useState } from 'react'
import { KindGlyph } from '#graph/kind-glyph.tsx'
import type { MapGraph } from '#graph/model.ts'
import { SearchField } from '#ui/filter-bar.tsx'

interface FindNodeProps {
  readonly graph: MapGraph
  readonly onNode: (node: number) => void
}

const foundMax = 8

/** Finds nodes by name; the first, or the one that is chosen, is shown on the map. */
export function FindNode({ graph, onNode }: FindNodeProps) {
  const [words, setWords] = useState('')
  const listId = useId()
  const found = words.trim() === '' ? [] : matches(graph, words.trim().toLowerCase())
  const go = (index: number) => {
    setWords('')
    onNode(index)
  }
  return (
    <search className="max-md:flex-[1_1_180px] max-md:[&_search]:w-full">
      <form
        className="relative"
        onSubmit={(event) => {
          event.preventDefault()
          if (found[0] !== undefined) go(found[0])
        }}
      >
        <SearchField label="Find a node" value={words} onChange={setWords} />
        {words.trim() !== '' && (
          <ul
            id={listId}
            aria-label="Found nodes"
            className="absolute top-full left-0 z-(--gl-z-menu) mt-1 w-72 rounded-lg bg-raised p-1 shadow-menu"
          >
            {found.map((index) => {
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
                      <KindGlyph kind={node.kind} />
                      <span className="min-w-0 truncate">{node.name}</span>
                    </button>
                  </li>
                )
              )
            })}
            {found.length === 0 && <li className="px-2 py-1.5 text-13 text-ink-2">No node has this name</li>}
          </ul>
        )}
      </form>
    </search>
  )
}

/** Names that begin so come before those that merely hold the words. */
function matches({ nodes }: MapGraph, words: string): number[] {
  const place = (index: number) => nodes[index]?.name.toLowerCase().indexOf(words) ?? -1
  return [...nodes.keys()]
    .filter((index) => place(index) >= 0)
    .toSorted((a, b) => Math.min(place(a), 1) - Math.min(place(b), 1))
    .slice(0, foundMax)
}
