/** The one way from the portal to the API. */
import { type Endpoint, hasQuery, type InputOf, pathParameters, type ResultOf } from '@glacis/contract/endpoint'
import { type QueryValue, toQueryString } from '@glacis/contract/query-string'
import { ApiFailure, readFailureBody, readRetryAfter, statusWords } from '#api/failure.ts'
import { fetchEarly } from '#lib/early.ts'
import { nextTask } from '#lib/first-paint.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { addToast } from '#lib/toasts.ts'
import { turn } from '#lib/turns.ts'
import { putAway } from '#lib/unsent.ts'

export interface CallOptions {
  /** Aborting rejects with the signal's reason, silently. */
  readonly signal?: AbortSignal | undefined
  /** For calls that take one: the same key again is answered as the first time, and nothing is done twice. */
  readonly key?: string | undefined
}

/**
 * Makes one call of the contract: path, query or JSON body from `input`, credentials sent,
 * answer read by the endpoint's own schema. Never retries.
 *
 * @throws ApiFailure for every refusal, for no answer and for an answer of another shape.
 *   A 401 also sends the browser to the login page; all others but 404 also raise a notice.
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  { signal, key }: CallOptions = {},
): Promise<ResultOf<E>> {
  const request = requestOf(endpoint, input, { signal, key })
  try {
    if (endpoint.method === 'GET') await turn()
    signal?.throwIfAborted()
    const response = await (endpoint.method === 'GET' ? fetchEarly : fetch)(...request)
    if (!response.ok) throw await refusal(response)
    return await readAnswer(endpoint, response)
  } catch (error) {
    signal?.throwIfAborted()
    const failure = error instanceof ApiFailure ? error : noAnswer(error)
    announce(failure)
    throw failure
  }
}

/** The full address of something that the API serves as a file, for links. */
export function apiAddress(path: `/v1/${string}`): string {
  return portalConfig().apiUrl + path
}

function requestOf(endpoint: Endpoint, input: object, { signal, key }: CallOptions): [string, RequestInit] {
  const { path, rest } = fillPath(endpoint.path, input as Record<string, unknown>)
  const asked = { method: endpoint.method, credentials: 'include' as const, ...(signal && { signal }) }
  const base = portalConfig().apiUrl
  if (hasQuery(endpoint.method)) {
    // A query is made of texts, numbers, truth values, lists and records of them: the contract's inputs are.
    const query = toQueryString(rest as Record<string, QueryValue | undefined>)
    return [base + path + (query && `?${query}`), { ...asked, headers: { accept: 'application/json' } }]
  }
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(key !== undefined && { 'idempotency-key': key }),
  }
  return [base + path, { ...asked, headers, body: JSON.stringify(rest) }]
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

async function readAnswer<E extends Endpoint>(endpoint: E, response: Response): Promise<ResultOf<E>> {
  const statusText = statusWords(response.status, response.statusText)
  const found = await jsonOf(response)
  // The first answers of a page are there together, and schemas cost to make: each is read in a task of its own.
  await nextTask()
  const answer = endpoint.result.safeParse(found)
  // The schema that just read the answer is the one that ResultOf is taken from.
  if (answer.success) return answer.data as ResultOf<E>
  const text =
    endpoint.method === 'GET'
      ? 'the answer could not be read. Reload the page.'
      : 'the answer could not be read. Reload the page and see whether it was done.'
  throw new ApiFailure({ status: response.status, statusText, body: { kind: 'text', text } }, { cause: answer.error })
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return undefined
  }
}

async function refusal(response: Response): Promise<ApiFailure> {
  const text = await response.text().catch(() => '')
  return new ApiFailure({
    status: response.status,
    statusText: statusWords(response.status, response.statusText),
    body: readFailureBody(text, response.headers.get('content-type') ?? ''),
    retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
  })
}

function noAnswer(cause: unknown): ApiFailure {
  const text = 'the server could not be reached. Check the connection and try again.'
  return new ApiFailure({ status: 0, statusText: 'No answer', body: { kind: 'text', text } }, { cause })
}

function announce(failure: ApiFailure): void {
  if (failure.status === 404) return
  if (failure.status !== 401) addToast('error', { title: 'API failure', message: failure.detail })
  else if (location.pathname !== '/login') {
    putAway(location.href)
    location.assign(`/login?return_to=${encodeURIComponent(location.href)}`)
  }
}
