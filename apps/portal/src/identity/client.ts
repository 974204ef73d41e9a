/**
 * The identity service as a browser speaks to it: the self-service API of Ory Kratos.
 * Every call sends the cookies of the service and asks for JSON.
 */
import { Flow, Session } from '@glacis/contract/identity'
import { z } from 'zod'
import { fetchEarly } from '#lib/early.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { noteServerTime } from '#lib/server-time.ts'
import { IdentityFailure } from '#identity/failure.ts'

export type FlowKind = 'login' | 'registration' | 'recovery' | 'verification' | 'settings'

/** What a new flow is asked with; each kind takes its own of these. */
export interface NewFlowQuery {
  readonly refresh?: 'true'
  readonly aal?: 'aal1' | 'aal2' | undefined
  readonly return_to?: string | undefined
  readonly after_verification_return_to?: string | undefined
}

/** Only the actions that the portal follows; others are skipped. */
const ContinueWith = z.array(
  z.looseObject({
    action: z.string(),
    flow: z.object({ id: z.string(), url: z.string().optional() }).optional(),
    redirect_browser_to: z.string().optional(),
  }),
)
const SignedIn = z.object({
  session: Session.optional().catch(undefined),
  continue_with: ContinueWith.default([]),
})
export type ContinueWith = z.infer<typeof ContinueWith>

/** What a submitted flow answers: the flow again, or a way on. */
export type FlowAnswer =
  | { readonly kind: 'flow'; readonly flow: Flow; readonly continueWith: ContinueWith }
  | { readonly kind: 'done'; readonly session: Session | undefined; readonly continueWith: ContinueWith }

export const StoredError = z.object({
  id: z.string(),
  error: z
    .looseObject({
      id: z.string().optional(),
      code: z.number().optional(),
      status: z.string().optional(),
      message: z.string().optional(),
      reason: z.string().optional(),
    })
    .optional(),
})
export type StoredError = z.infer<typeof StoredError>

/** Starts a flow for this browser. */
export async function createFlow(kind: FlowKind, query: NewFlowQuery, signal?: AbortSignal): Promise<Flow> {
  return read(Flow, await ask(`/self-service/${kind}/browser`, { query: { ...query }, signal }))
}

export async function getFlow(kind: FlowKind, id: string, signal?: AbortSignal): Promise<Flow> {
  return read(Flow, await ask(`/self-service/${kind}/flows`, { query: { id }, signal }))
}

/**
 * Submits a flow. A form that was refused (status 400 with the flow in the body) is an answer, not an error.
 *
 * @throws IdentityFailure for everything else that is not a success.
 */
export async function submitFlow(kind: FlowKind, id: string, body: object, token?: string): Promise<FlowAnswer> {
  const answer = await ask(`/self-service/${kind}`, {
    method: 'POST',
    query: { flow: id, token },
    body,
    accepts: [400],
  })
  const flow = Flow.safeParse(answer.body)
  const onward = SignedIn.safeParse(answer.body)
  const continueWith = onward.success ? onward.data.continue_with : []
  if (flow.success) return { kind: 'flow', flow: flow.data, continueWith }
  if (answer.status === 400) throw new IdentityFailure(400, answer.body)
  return { kind: 'done', session: onward.success ? onward.data.session : undefined, continueWith }
}

/** The session of this browser, or null when there is none. */
export async function whoami(signal?: AbortSignal): Promise<Session | null> {
  const answer = await ask('/sessions/whoami', { signal, accepts: [401] })
  return answer.status === 401 ? null : read(Session, answer)
}

/** The other sessions of the same person; the present one is not among them. */
export async function listSessions(signal?: AbortSignal): Promise<Session[]> {
  const answer = await ask('/sessions', { signal })
  // A list of nothing is written as null by some versions.
  return read(z.array(Session).nullable(), answer) ?? []
}

export async function revokeSession(id: string): Promise<void> {
  await ask(`/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' })
}

export async function revokeOtherSessions(): Promise<void> {
  await ask('/sessions', { method: 'DELETE' })
}

/** Ends the session of this browser. Nothing happens when there is none. */
export async function logout(returnTo: string): Promise<void> {
  const created = await ask('/self-service/logout/browser', { query: { return_to: returnTo }, accepts: [401] })
  if (created.status === 401) return
  const { logout_token: token } = read(z.object({ logout_token: z.string() }), created)
  await ask('/self-service/logout', { query: { token, return_to: returnTo } })
}

/** The error that the service stored for the error page. */
export async function getStoredError(id: string, signal?: AbortSignal): Promise<StoredError> {
  return read(StoredError, await ask('/self-service/errors', { query: { id }, signal }))
}

interface Question {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: object
  readonly signal?: AbortSignal | undefined
  /** Statuses outside 2xx that the caller reads itself. */
  readonly accepts?: readonly number[]
}
interface Answer {
  readonly status: number
  readonly body: unknown
}

async function ask(
  path: string,
  { method = 'GET', query = {}, body, signal, accepts = [] }: Question,
): Promise<Answer> {
  const begin = method === 'GET' ? fetchEarly : fetch
  const response = await begin(addressOf(path, query), {
    method,
    credentials: 'include',
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  noteServerTime(response.headers.get('date'))
  const answer = { status: response.status, body: await jsonOf(response) }
  if (response.ok || accepts.includes(response.status)) return answer
  throw new IdentityFailure(answer.status, answer.body)
}

function addressOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
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

function read<Schema extends z.ZodType>(schema: Schema, { status, body }: Answer): z.output<Schema> {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  throw new IdentityFailure(
    status,
    { error: { message: `The identity service answered in an unknown shape: ${z.prettifyError(result.error)}` } },
    { cause: result.error },
  )
}
