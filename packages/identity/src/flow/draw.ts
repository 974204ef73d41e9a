/** A form out of what each method puts on it. */
import type { Identity } from '#identities.ts'
import type { HeldScene, Method, Scene, Service } from '#service.ts'
import type { FlowMemory } from '#store.ts'
import { type Node, nameOf } from '#ui/node.ts'

export interface Drawing {
  readonly nodes: readonly Node[]
  /** What the methods left for the submit. */
  readonly memory: FlowMemory
}

type Pen = (method: Method, scene: Scene) => readonly Node[] | Promise<readonly Node[]> | undefined

/** Asks every method for its nodes; `memory` is what the flow remembers and goes on remembering. */
export async function draw(service: Service, holder: Identity | null, memory: FlowMemory, pen: Pen): Promise<Drawing> {
  let left: FlowMemory = memory
  const scene: Scene = {
    service,
    holder,
    memory,
    remember(more) {
      left = { ...left, ...more }
    },
  }
  const nodes: Node[] = []
  for (const method of service.methods) nodes.push(...((await pen(method, scene)) ?? []))
  return { nodes: nodes.filter((node, index) => !isShared(node) || index === firstOf(nodes, node)), memory: left }
}

/** The same for a form that has somebody behind it. */
export function drawFor(
  service: Service,
  holder: Identity,
  memory: FlowMemory,
  pen: (method: Method, scene: HeldScene) => ReturnType<Pen>,
): Promise<Drawing> {
  return draw(service, holder, memory, (method, scene) => pen(method, { ...scene, holder }))
}

/** The nodes of a form with those of authenticators anew: what they asked was used up. */
export function withFreshKeys(nodes: readonly Node[], fresh: readonly Node[]): Node[] {
  return nodes.map((node) => {
    if (node.group !== 'passkey' && node.group !== 'webauthn') return node
    return fresh.find((other) => keyOf(other) === keyOf(node)) ?? node
  })
}

const sharedNames = new Set(['identifier', 'webauthn_script'])

/** What several methods need and a form has once. */
function isShared(node: Node): boolean {
  return sharedNames.has(keyOf(node))
}

function firstOf(nodes: readonly Node[], node: Node): number {
  return nodes.findIndex((other) => keyOf(other) === keyOf(node))
}

function keyOf(node: Node): string {
  return nameOf(node) ?? ('id' in node.attributes ? node.attributes.id : '')
}
