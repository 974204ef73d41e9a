/**
 * Browser client for the self-service API of Ory Kratos.
 * Every call sends the service's cookies and requests JSON.
 */
import { Flow, Session } from '@glacis/contract/identity'
import { z } from 'zod/mini'
import { portalConfig } from '#lib/portal-config.ts'
import { recordServerTime } from '#lib/server-time.ts'
import { IdentityFailure } from '#identity/failure.ts'
import type { FlowKind } from '#identity/flow-kind.ts'

/** Query parameters for creating a flow. Each kind of flow supports some of them. */
export interface NewFlowQuery {
  readonly refresh?: 'true'
  readonly aal?: 'aal1' | 'aal2' | undefined
  readonly return_to?: string | undefined
  readonly after_verification_return_to?: string | undefined
}

/** The fields of the actions that the portal handles; other actions are ignored. */
const ContinueWith = z.array(
  z.looseObject({
    action: z.string(),
    flow: z.optional(z.object({ id: z.string(), url: z.optional(z.string()) })),
    redirect_browser_to: z.optional(z.string()),
  }),
)
const SignedIn = z.object({
  session: z.catch(z.optional(Session), undefined),
  continue_with: z._default(ContinueWith, []),
})
export type ContinueWith = z.infer<typeof ContinueWith>

/** Result of submitting a flow: an updated flow or completion. */
export type FlowResult =
  | { readonly kind: 'flow'; readonly flow: Flow; readonly continueWith: ContinueWith }
  | { readonly kind: 'done'; readonly session: Session | undefined; readonly continueWith: ContinueWith }

export const StoredError = z.object({
  id: z.string(),
  error: z.optional(
    z.looseObject({
      id: z.optional(z.string()),
      code: z.optional(z.number()),
      status: z.optional(z.string()),
      message: z.optional(z.string()),
      reason: z.optional(z.string()),
    }),
  ),
})
export type StoredError = z.infer<typeof StoredError>

/** Creates a flow for this browser. */
export async function createFlow(kind: FlowKind, query: NewFlowQuery, signal?: AbortSignal): Promise<Flow> {
  return parseBody(Flow, await request(`/self-service/${kind}/browser`, { query: { ...query }, signal }))
}

export async function getFlow(kind: FlowKind, id: string, signal?: AbortSignal): Promise<Flow> {
  return parseBody(Flow, await request(`/self-service/${kind}/flows`, { query: { id }, signal }))
}

/**
 * Submits a flow. Failed validation (status 400 with the flow in the body) is a result, not an error.
 *
 * @throws IdentityFailure for any other unsuccessful response.
 */
export async function submitFlow(kind: FlowKind, id: string, body: object, token?: string): Promise<FlowResult> {
  const response = await request(`/self-service/${kind}`, {
    method: 'POST',
    query: { flow: id, token },
    body,
    accepts: [400],
  })
  const flow = Flow.safeParse(response.body)
  const signedIn = SignedIn.safeParse(response.body)
  const continueWith = signedIn.success ? signedIn.data.continue_with : []
  if (flow.success) return { kind: 'flow', flow: flow.data, continueWith }
  if (response.status === 400) throw new IdentityFailure(400, response.body)
  return { kind: 'done', session: signedIn.success ? signedIn.data.session : undefined, continueWith }
}

/** The session of this browser, or null. */
export async function whoami(signal?: AbortSignal): Promise<Session | null> {
  const response = await request('/sessions/whoami', { signal, accepts: [401] })
  return response.status === 401 ? null : parseBody(Session, response)
}

/** The user's other sessions, without the current one. */
export async function listSessions(signal?: AbortSignal): Promise<Session[]> {
  const response = await request('/sessions', { signal })
  // Some versions serialize an empty list as null.
  return parseBody(z.nullable(z.array(Session)), response) ?? []
}

export async function revokeSession(id: string): Promise<void> {
  await request(`/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' })
}

export async function revokeOtherSessions(): Promise<void> {
  await request('/sessions', { method: 'DELETE' })
}

/** Ends the session of this browser, if any. */
export async function logout(returnTo: string): Promise<void> {
  const created = await request('/self-service/logout/browser', { query: { return_to: returnTo }, accepts: [401] })
  if (created.status === 401) return
  const { logout_token: token } = parseBody(z.object({ logout_token: z.string() }), created)
  await request('/self-service/logout', { query: { token, return_to: returnTo } })
}

/** Fetches an error that the service stored for the error page. */
export async function getStoredError(id: string, signal?: AbortSignal): Promise<StoredError> {
  return parseBody(StoredError, await request('/self-service/errors', { query: { id }, signal }))
}

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: object
  readonly signal?: AbortSignal | undefined
  /** Statuses outside 2xx that the caller handles. */
  readonly accepts?: readonly number[]
}
interface RawResponse {
  readonly status: number
  readonly body: unknown
}

async function request(
  path: string,
  { method = 'GET', query = {}, body, signal, accepts = [] }: RequestOptions,
): Promise<RawResponse> {
  const response = await fetch(urlFor(path, query), {
    method,
    credentials: 'include',
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  recordServerTime(response.headers.get('date'))
  const answer = { status: response.status, body: await jsonOf(response) }
  if (response.ok || accepts.includes(response.status)) return answer
  throw new IdentityFailure(answer.status, answer.body)
}

function urlFor(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const text = new URLSearchParams(present).toString()
  return portalConfig().identityUrl + path + (text && `?${text}`)
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseBody<Schema extends z.ZodMiniType>(schema: Schema, { status, body }: RawResponse): z.output<Schema> {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  throw new IdentityFailure(
    status,
    { error: { message: `The identity service returned an unexpected response: ${z.prettifyError(result.error)}` } },
    { cause: result.error },
  )
}
