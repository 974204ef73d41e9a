/** Builds forms from the nodes of each method. */
import type { Identity } from '#identities.ts'
import type { IdentityFormContext, Method, FormContext, Service } from '#service.ts'
import type { FlowMemory } from '#store.ts'
import { type Node, nameOf } from '#ui/node.ts'

export interface Form {
  readonly nodes: readonly Node[]
  /** State that the methods need for the submission. */
  readonly memory: FlowMemory
}

type NodeSource = (method: Method, context: FormContext) => readonly Node[] | Promise<readonly Node[]> | undefined

/** Collects the nodes of every enabled method. The result extends the given memory. */
export async function buildForm(
  service: Service,
  identity: Identity | null,
  memory: FlowMemory,
  nodesOf: NodeSource,
): Promise<Form> {
  let updated: FlowMemory = memory
  const context: FormContext = {
    service,
    identity,
    memory,
    remember(patch) {
      updated = { ...updated, ...patch }
    },
  }
  const nodes: Node[] = []
  for (const method of service.methods) nodes.push(...((await nodesOf(method, context)) ?? []))
  return {
    nodes: nodes.filter((node, index) => !isShared(node) || index === firstIndexOf(nodes, node)),
    memory: updated,
  }
}

/** Builds a form for a known identity. */
export function buildIdentityForm(
  service: Service,
  identity: Identity,
  memory: FlowMemory,
  nodesOf: (method: Method, context: IdentityFormContext) => ReturnType<NodeSource>,
): Promise<Form> {
  return buildForm(service, identity, memory, (method, context) => nodesOf(method, { ...context, identity }))
}

/** Replaces the WebAuthn nodes of a form, because their challenge was consumed. */
export function withNewChallenges(nodes: readonly Node[], newNodes: readonly Node[]): Node[] {
  return nodes.map((node) => {
    if (node.group !== 'passkey' && node.group !== 'webauthn') return node
    return newNodes.find((other) => nodeKey(other) === nodeKey(node)) ?? node
  })
}

const sharedNames = new Set(['identifier', 'webauthn_script'])

/** True for nodes that several methods add but a form contains once. */
function isShared(node: Node): boolean {
  return sharedNames.has(nodeKey(node))
}

function firstIndexOf(nodes: readonly Node[], node: Node): number {
  return nodes.findIndex((other) => nodeKey(other) === nodeKey(node))
}

function nodeKey(node: Node): string {
  return nameOf(node) ?? ('id' in node.attributes ? node.attributes.id : '')
}
