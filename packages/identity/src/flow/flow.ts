/** Flow persistence and wire representation. */
import { randomUUID } from 'node:crypto'
import { WireError, notFound } from '#http/error.ts'
import { mask } from '#http/csrf.ts'
import { type Identity, identityBody } from '#identities.ts'
import { seal, unseal } from '#seal.ts'
import { type Service, actionUrl, pageUrl } from '#service.ts'
import type { Database, Flow, FlowKind, FlowMemory } from '#store.ts'
import type { Message } from '#ui/message.ts'
import { type Node, type Ui, csrfNode, nameOf } from '#ui/node.ts'
import { minutesBetween } from '#ui/error-message.ts'

/** Values of a new flow. */
export interface FlowDraft {
  readonly kind: FlowKind
  readonly state?: string
  readonly active?: string
  readonly requestUrl: string
  readonly returnTo: string | null
  readonly identityId?: string
  readonly csrfToken: string
  readonly nodes: readonly Node[]
  readonly messages?: readonly Message[]
  readonly memory?: FlowMemory
}

/** Creates and stores a flow. The `csrf_token` node receives a freshly masked token. */
export async function createFlow(service: Service, draft: FlowDraft, db: Database = service.db): Promise<Flow> {
  const now = service.now()
  const id = randomUUID()
  const flow: Flow = {
    id,
    kind: draft.kind,
    state: draft.state ?? 'choose_method',
    active: draft.active ?? null,
    request_url: draft.requestUrl,
    return_to: draft.returnTo,
    identity_id: draft.identityId ?? null,
    csrf_token: draft.csrfToken,
    ui: {
      action: actionUrl(service, draft.kind, id),
      method: 'POST',
      nodes: withCsrfToken(draft.nodes, draft.csrfToken),
      messages: draft.messages ?? [],
    },
    memory: draft.memory ?? {},
    tries: 0,
    issued_at: now,
    expires_at: new Date(now.getTime() + service.lifespans.flowMs),
    created_at: now,
    updated_at: now,
  }
  await db
    .insertInto('identity.flow')
    .values({ ...flow, ...serializeForm(service, flow) })
    .execute()
  return flow
}

/** CSRF node without a token. `createFlow` and `withCsrfToken` fill it in. */
export const csrfPlaceholder: Node = csrfNode('')

/** Sets the CSRF nodes to a freshly masked token. */
export function withCsrfToken(nodes: readonly Node[], token: string): Node[] {
  return nodes.map((node) => (nameOf(node) === 'csrf_token' ? csrfNode(mask(token)) : node))
}

/** @throws WireError 404 if no flow has this ID and kind */
export async function loadFlow(service: Service, kind: FlowKind, id: string | null): Promise<Flow> {
  if (!isUuid(id)) throw notFound()
  const flow = await service.db
    .selectFrom('identity.flow')
    .selectAll()
    .where('id', '=', id)
    .where('kind', '=', kind)
    .executeTakeFirst()
  if (!flow) throw notFound()
  return deserializeForm(service, flow)
}

/** The form of a settings flow contains second-factor secrets, so it is stored encrypted. */
function serializeForm(service: Service, { kind, ui, memory }: Flow): { ui: string; memory: string } {
  if (kind !== 'settings') return { ui: JSON.stringify(ui), memory: JSON.stringify(memory) }
  const sealed = seal(service, 'identity form', JSON.stringify({ ui, memory })).toString('base64')
  return { ui: JSON.stringify({ sealed }), memory: '{}' }
}

function deserializeForm(service: Service, flow: Flow): Flow {
  const stored: unknown = flow.ui
  if (typeof stored !== 'object' || stored === null || !('sealed' in stored)) return flow
  const text = unseal(service, 'identity form', Buffer.from(String(stored.sealed), 'base64'))
  return { ...flow, ...JSON.parse(text) }
}

export function isUuid(text: string | null): text is string {
  return text !== null && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

type FlowChange = Partial<Pick<Flow, 'state' | 'active' | 'csrf_token' | 'memory' | 'ui'>>

/** Stores changes to a flow and returns the updated flow. */
export async function saveFlow(
  service: Service,
  flow: Flow,
  change: FlowChange,
  db: Database = service.db,
): Promise<Flow> {
  const changed = { ...flow, ...change, updated_at: service.now() }
  await db
    .updateTable('identity.flow')
    .set({
      state: changed.state,
      active: changed.active,
      csrf_token: changed.csrf_token,
      ...serializeForm(service, changed),
      updated_at: changed.updated_at,
    })
    .where('id', '=', flow.id)
    .execute()
  return changed
}

export function isExpired(service: Service, flow: Flow): boolean {
  return flow.expires_at <= service.now()
}

interface Extras {
  readonly identity?: Identity
  readonly continueWith?: readonly unknown[]
}

/** Wire representation of a flow. Keys and their order depend on the kind. */
export function flowBody(
  service: Service,
  flow: Flow,
  { identity, continueWith }: Extras = {},
): Record<string, unknown> {
  const isLogin = flow.kind === 'login'
  const { refresh = false, requestedAal = 'aal1', identitySchema } = flow.memory
  return {
    id: flow.id,
    ...(isLogin && { organization_id: null }),
    type: 'browser',
    expires_at: flow.expires_at.toISOString(),
    issued_at: flow.issued_at.toISOString(),
    request_url: flow.request_url,
    ...(flow.return_to && { return_to: flow.return_to }),
    ...(flow.active && { active: flow.active }),
    ui: uiBody(flow.ui),
    ...(flow.kind === 'registration' && { organization_id: null }),
    ...(isLogin && {
      created_at: flow.created_at.toISOString(),
      updated_at: flow.created_at.toISOString(),
      refresh,
      requested_aal: requestedAal,
    }),
    ...(identity && { identity: identityBody(identity, service.publicUrl) }),
    state: flow.state,
    ...(identitySchema && { identity_schema: identitySchema }),
    ...(continueWith && { continue_with: continueWith }),
  }
}

function uiBody({ action, method, nodes, messages }: Ui): Record<string, unknown> {
  return { action, method, nodes, ...(messages.length > 0 && { messages }) }
}

/** Error for fetching an expired flow, with the URL that starts a new one. */
export function expiredOnFetch(service: Service, flow: Flow): WireError {
  const { kind, return_to: returnTo } = flow
  const start = `${service.publicUrl}/self-service/${kind}/browser`
  return new WireError(410, {
    // As in Kratos, only login and registration flows return an error ID.
    ...((kind === 'login' || kind === 'registration') && { id: 'self_service_flow_expired' }),
    reason: `The ${kind} flow has expired. Redirect the user to the ${kind} flow init endpoint to initialize a new ${kind} flow.`,
    details: {
      redirect_to: returnTo ? `${start}?return_to=${encodeURIComponent(returnTo)}` : start,
      return_to: returnTo ?? '',
    },
  })
}

/** Error for submitting an expired flow, with the ID of the flow that replaces it. */
export function expiredOnSubmit(service: Service, expired: Flow, next: Flow): WireError {
  const now = service.now()
  const since = now.getTime() - expired.expires_at.getTime()
  return new WireError(410, {
    id: 'self_service_flow_expired',
    reason: `The self-service flow expired ${minutesBetween(expired.expires_at, now)} minutes ago, initialize a new one.`,
    message: 'self-service flow expired',
    extra: {
      expired_at: expired.expires_at.toISOString(),
      // The protocol uses nanoseconds for durations.
      since: since * 1_000_000,
      use_flow_id: next.id,
    },
    browser: { location: pageUrl(service, next.kind, next.id), status: 303 },
  })
}
