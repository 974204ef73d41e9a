/** The portal's API client. */
import { type Endpoint, hasQuery, type InputOf, pathParameters, type ResultOf } from '@glacis/contract/endpoint'
import { type QueryValue, toQueryString } from '@glacis/contract/query-string'
import { ApiFailure, readFailureBody, readRetryAfter, statusPhrase } from '#api/failure.ts'
import { type ErrorReason, workspaceHeader } from '@glacis/contract/role'
import { portalConfig } from '#lib/portal-config.ts'
import { chosenWorkspace } from '#lib/workspace.ts'
import { addToast, toastMs } from '#ui/toasts.tsx'
import { saveDrafts } from '#lib/drafts.ts'

export interface CallOptions {
  /** Aborting rejects with the signal's reason, silently. */
  readonly signal?: AbortSignal | undefined
  /**
   * Idempotency key, for endpoints that support one: a repeated key returns the first response without repeating the
   * action.
   */
  readonly key?: string | undefined
  /** The caller shows the failure, so that no toast repeats it. */
  readonly isFailureShown?: boolean
}

/**
 * Calls an endpoint of the contract: encodes `input` as path, query, or JSON body, and sends credentials. Never retries.
 *
 * @throws ApiFailure for an error status, no response, or a response that isn't JSON. A 401 also redirects to the
 *   login page; all others except 404 also show a toast, unless `isFailureShown`.
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  { signal, key, isFailureShown = false }: CallOptions = {},
): Promise<ResultOf<E>> {
  const request = requestOf(endpoint, input, { signal, key })
  try {
    const response = await fetch(...request)
    if (!response.ok) throw await errorResponse(response)
    return await readResponse(endpoint, response)
  } catch (error) {
    signal?.throwIfAborted()
    const failure = error instanceof ApiFailure ? error : noResponse(error)
    if (!isFailureShown || failure.status === 401) showFailureToast(failure)
    throw failure
  }
}

/** The absolute URL of a file that the API serves, for links. */
export function apiFileUrl(path: `/v1/${string}`): string {
  const workspace = chosenWorkspace()
  const selection = workspace ? `${path.includes('?') ? '&' : '?'}workspace=${encodeURIComponent(workspace)}` : ''
  return portalConfig().apiUrl + path + selection
}

function requestOf(endpoint: Endpoint, input: object, { signal, key }: CallOptions): [string, RequestInit] {
  const { path, rest } = fillPath(endpoint.path, input as Record<string, unknown>)
  const options = { method: endpoint.method, credentials: 'include' as const, ...(signal && { signal }) }
  const base = portalConfig().apiUrl
  const workspace = chosenWorkspace()
  const common = { accept: 'application/json', ...(workspace && { [workspaceHeader]: workspace }) }
  if (hasQuery(endpoint.method)) {
    // The contract's query inputs consist of strings, numbers, booleans, lists, and records of these.
    const query = toQueryString(rest as Record<string, QueryValue | undefined>)
    return [base + path + (query && `?${query}`), { ...options, headers: common }]
  }
  const headers = {
    ...common,
    'content-type': 'application/json',
    ...(key !== undefined && { 'idempotency-key': key }),
  }
  return [base + path, { ...options, headers, body: JSON.stringify(rest) }]
}

function fillPath(template: string, input: Readonly<Record<string, unknown>>) {
  const rest = { ...input }
  let path = template
  for (const name of pathParameters(template)) {
    path = path.replace(`:${name}`, encodeURIComponent(String(input[name])))
    delete rest[name]
  }
  return { path, rest }
}

async function readResponse<E extends Endpoint>({ method }: E, response: Response): Promise<ResultOf<E>> {
  const body = await response.text()
  try {
    // The contract's types hold on both sides.
    return JSON.parse(body || '{}') as ResultOf<E>
  } catch (cause) {
    const advice = method === 'GET' ? 'Reload the page.' : 'Reload the page and check whether the change was made.'
    const text = `the response couldn't be read. ${advice}`
    const statusText = statusPhrase(response.status, response.statusText)
    throw new ApiFailure({ status: response.status, statusText, body: { kind: 'text', text } }, { cause })
  }
}

async function errorResponse(response: Response): Promise<ApiFailure> {
  const text = await response.text().catch(() => '')
  return new ApiFailure({
    status: response.status,
    statusText: statusPhrase(response.status, response.statusText),
    body: readFailureBody(text, response.headers.get('content-type') ?? ''),
    retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
  })
}

function noResponse(cause: unknown): ApiFailure {
  const text = "the server couldn't be reached. Check your connection and try again."
  return new ApiFailure({ status: 0, statusText: 'No response', body: { kind: 'text', text } }, { cause })
}

/** Reasons why the whole workspace can't be shown. */
export const accessReasons: ReadonlySet<string> = new Set<ErrorReason>([
  'NO_WORKSPACE',
  'MEMBERSHIP_ENDED',
  'SIGN_IN_PROVIDER_REQUIRED',
  'NETWORK_NOT_ALLOWED',
])

function showFailureToast(failure: ApiFailure): void {
  // Another page takes over: see routes/app-frame.tsx.
  if (failure.status === 404 || accessReasons.has(failure.reason ?? '')) return
  if (failure.status !== 401) {
    // Forms show the errors of their fields.
    const duration = failure.fieldErrors.size > 0 ? toastMs.info : toastMs.error
    addToast('error', { title: 'API failure', message: failure.detail }, duration)
  } else if (location.pathname !== '/login') {
    saveDrafts(location.href)
    location.assign(`/login?return_to=${encodeURIComponent(location.href)}`)
  }
}
