/** The interactive map: a canvas for pointers, and a list of buttons for keyboards and screen readers. */
import { Focus, Maximize, Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react'
import { createMap, type MapController } from '#graph/controller.ts'
import type { LayoutResult } from '#graph/layout-worker.ts'
import { nodesByDegree, kindLabels, type MapGraph } from '#graph/model.ts'
import { IconButton } from '#ui/button.tsx'

interface NetworkGraphProps {
  readonly graph: MapGraph
  readonly layout: LayoutResult
  /** Index of the selected node. */
  readonly selected: number | null
  /** Called when a node is clicked, tapped, or focused; with null for the background. */
  readonly onNode: (node: number | null) => void
  readonly ref?: Ref<MapController | null>
}

/** Maximum number of node buttons. Other nodes are reachable through their neighbors, the search, and the table. */
const maxButtons = 100
const panPixels = 60
const zoomStep = 1.25

export function NetworkGraph({ graph, layout, selected, onNode, ref }: NetworkGraphProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const map = useRef<MapController>(null)
  const pick = useRef(onNode)
  useEffect(() => void (pick.current = onNode))
  useEffect(() => {
    if (!canvas.current) return undefined
    const scene = { graph, points: layout.points }
    const created = createMap(canvas.current, scene, layout.start, { onPick: (node) => pick.current(node) })
    map.current = created
    return () => created.close()
  }, [graph, layout])
  useEffect(() => map.current?.select(selected), [selected, graph, layout])
  useImperativeHandle(ref, () => delegatingController(map), [])
  return (
    <>
      <canvas
        ref={canvas}
        className="absolute inset-0 size-full touch-none"
        aria-hidden="true"
        data-testid="map-canvas"
      />
      <fieldset aria-label="Map nodes, most connected first" className="absolute top-0 left-0 size-0">
        <NodeButtons graph={graph} selected={selected} onNode={onNode} map={map} />
      </fieldset>
      <ZoomButtons map={map} />
    </>
  )
}

/** A stable handle that delegates to the current controller, which is recreated with each graph. */
function delegatingController(map: { readonly current: MapController | null }): MapController {
  return {
    select: (node) => map.current?.select(node),
    reveal: (node) => map.current?.reveal(node),
    zoom: (factor) => map.current?.zoom(factor),
    pan: (dx, dy) => map.current?.pan(dx, dy),
    fitAll: () => map.current?.fitAll(),
    reset: () => map.current?.reset(),
    toPng: async () => map.current?.toPng() ?? null,
    close: () => map.current?.close(),
  }
}

const pans: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [panPixels, 0],
  ArrowRight: [-panPixels, 0],
  ArrowUp: [0, panPixels],
  ArrowDown: [0, -panPixels],
}

/** +, −, and 0 zoom and reset; Shift with an arrow pans. */
function controlByKey(event: KeyboardEvent, map: MapController | null): void {
  const pan = event.shiftKey ? pans[event.key] : undefined
  if (pan) map?.pan(...pan)
  else if (event.key === '+' || event.key === '=') map?.zoom(zoomStep)
  else if (event.key === '-') map?.zoom(1 / zoomStep)
  else if (event.key === '0') map?.reset()
  else return
  event.preventDefault()
}

interface NodeButtonsProps {
  readonly graph: MapGraph
  readonly selected: number | null
  readonly onNode: (node: number | null) => void
  readonly map: { readonly current: MapController | null }
}

/** Tab moves through nodes by degree; arrow keys move to neighbors of the focused node. */
function NodeButtons({ graph, selected, onNode, map }: NodeButtonsProps) {
  const first = useMemo(() => nodesByDegree(graph).slice(0, maxButtons), [graph])
  const [focused, setFocused] = useState<number | null>(null)
  const buttons = useRef(new Map<number, HTMLButtonElement>())
  const near = focused === null ? [] : (graph.nodes[focused]?.linked ?? [])
  const shown = [...new Set([...first, ...(focused === null ? [] : [focused]), ...near.slice(0, maxButtons)])]
  const step = (from: number, event: KeyboardEvent) => {
    controlByKey(event, map.current)
    if (event.key === 'Escape') onNode(null)
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    const linked = graph.nodes[from]?.linked ?? []
    if (by === undefined || event.shiftKey || linked.length === 0) return
    event.preventDefault()
    buttons.current.get(linked.at(by > 0 ? 0 : -1) ?? from)?.focus()
  }
  const focus = (node: number) => {
    setFocused(node)
    map.current?.reveal(node)
    onNode(node)
  }
  return shown.map((index) => {
    const node = graph.nodes[index]
    if (!node) return null
    return (
      <button
        key={node.id}
        ref={(element) => void (element ? buttons.current.set(index, element) : buttons.current.delete(index))}
        type="button"
        className="sr-only"
        aria-pressed={selected === index}
        onFocus={() => focus(index)}
        onClick={() => onNode(index)}
        onKeyDown={(event) => step(index, event)}
      >
        {`${kindLabels[node.kind]} ${node.name}, ${node.linked.length} ${node.linked.length === 1 ? 'link' : 'links'}`}
      </button>
    )
  })
}

function ZoomButtons({ map }: { readonly map: { readonly current: MapController | null } }) {
  return (
    <fieldset aria-label="Zoom" className="absolute top-4 left-4 grid gap-0.5 rounded-lg bg-raised p-1 shadow-menu">
      <IconButton
        size="sm"
        variant="ghost"
        label="Zoom in"
        icon={<Plus />}
        onClick={() => map.current?.zoom(zoomStep)}
      />
      <IconButton
        size="sm"
        variant="ghost"
        label="Zoom out"
        icon={<Minus />}
        onClick={() => map.current?.zoom(1 / zoomStep)}
      />
      <IconButton
        size="sm"
        variant="ghost"
        label="Fit to screen"
        icon={<Maximize />}
        onClick={() => map.current?.fitAll()}
      />
      <IconButton size="sm" variant="ghost" label="Reset view" icon={<Focus />} onClick={() => map.current?.reset()} />
    </fieldset>
  )
}
