/** A user without a browser: signs up, reads emails, and calls the API with the session's cookies. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Endpoint, type InputOf, type ResultOf, hasQuery, pathParameters } from '@glacis/contract/endpoint'
import { Flow } from '@glacis/contract/identity'
import { getScan, type Scan, startScan } from '@glacis/contract/scan'
import { type QueryValue, toQueryString } from '@glacis/contract/query-string'
import { z } from 'zod'

export interface Person {
  readonly email: string
  readonly password: string
  readonly first: string
  readonly last: string
}

export interface Visitor {
  /** Creates the account and verifies its email with the code from the outbox. */
  signUp(person: Person, dataFolder: string): Promise<void>
  signIn(person: Person): Promise<void>
  /** The `Cookie` header of the session, for another client of the same user. */
  cookie(): string
  /** Sends a request with the cookies of the session, and keeps those of the response. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  call<E extends Endpoint>(endpoint: E, input: InputOf<E>): Promise<ResultOf<E>>
}

/** @param origin where the server has its portal, if that is not the URL at which it is reached from here */
export function visit(url: string, origin: string = url): Visitor {
  const jar = new Map<string, string>()

  async function fetchWithCookies(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    const own = { accept: 'application/json', 'content-type': 'application/json', origin, cookie: cookieOf(jar) }
    for (const [name, value] of Object.entries(own)) headers.set(name, value)
    const response = await fetch(url + path, { ...init, headers })
    for (const line of response.headers.getSetCookie()) storeCookie(jar, line)
    return response
  }

  async function send(path: string, init: RequestInit = {}): Promise<unknown> {
    const response = await fetchWithCookies(path, init)
    const body: unknown = response.status === 204 ? null : await response.json()
    if (response.status >= 400)
      throw new Error(`${init.method ?? 'GET'} ${path}: ${response.status} ${JSON.stringify(body)}`)
    return body
  }

  async function submit(flowPath: string, fields: Record<string, unknown>): Promise<unknown> {
    const flow = Flow.parse(await send(`/self-service/${flowPath}/browser`))
    return submitFlow(flow, flowPath, fields)
  }

  function submitFlow(flow: Flow, flowPath: string, fields: Record<string, unknown>): Promise<unknown> {
    const token = flow.ui.nodes.find((node) => node.type === 'input' && node.attributes.name === 'csrf_token')
    const csrf_token = token?.type === 'input' ? token.attributes.value : ''
    return send(`/self-service/${flowPath}?flow=${flow.id}`, {
      method: 'POST',
      body: JSON.stringify({ csrf_token, ...fields }),
    })
  }

  return {
    async signUp({ email, password, first, last }, dataFolder) {
      const registration = await submit('registration', {
        method: 'password',
        password,
        traits: { email, name: { first, last } },
      })
      const { continue_with } = z.object({ continue_with: z.array(Continue) }).parse(registration)
      const id = continue_with.find((step) => step.action === 'show_verification_ui')?.flow?.id
      if (!id) throw new Error('The identity service did not request verification')
      const flow = Flow.parse(await send(`/self-service/verification/flows?id=${id}`))
      await submitFlow(flow, 'verification', { method: 'code', code: await codeFor(email, dataFolder) })
    },
    async signIn({ email, password }) {
      await submit('login', { method: 'password', identifier: email, password })
    },
    cookie: () => cookieOf(jar),
    fetch: fetchWithCookies,
    async call(endpoint, input) {
      const values = { ...input } as Record<string, QueryValue | undefined> // inputs of the contract consist of these types
      let path: string = endpoint.path
      for (const name of pathParameters(path)) {
        path = path.replace(`:${name}`, encodeURIComponent(String(values[name])))
        delete values[name]
      }
      const isQuery = hasQuery(endpoint.method)
      const query = isQuery ? toQueryString(values) : ''
      const body = isQuery ? {} : { body: JSON.stringify(values) }
      const result = await send(`${path}${query && `?${query}`}`, { method: endpoint.method, ...body })
      return endpoint.result.parse(result) as ResultOf<typeof endpoint> // parsed by that schema
    },
  }
}

const Continue = z.looseObject({ action: z.string(), flow: z.looseObject({ id: z.string() }).optional() })

function cookieOf(jar: ReadonlyMap<string, string>): string {
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
}

function storeCookie(jar: Map<string, string>, line: string): void {
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  if (!name || value === undefined) return
  if (/max-age=0(;|$)/i.test(line)) jar.delete(name)
  else jar.set(name, value)
}

const mailMsMax = 30_000

/** Waits for the newest email to this address and returns its six-digit code. */
export async function codeFor(email: string, dataFolder: string): Promise<string> {
  const outbox = join(dataFolder, 'outbox')
  const deadline = Date.now() + mailMsMax
  for (;;) {
    const files = (await readdir(outbox).catch(() => []))
      .filter((name) => name.includes(email) && name.endsWith('.eml'))
      .toSorted()
    const newest = files.at(-1)
    const code = newest && /^\s*(\d{6})\s*$/m.exec(await readFile(join(outbox, newest), 'utf8'))?.[1]
    if (code) return code
    if (Date.now() > deadline) throw new Error(`No email with a code for ${email} in ${outbox}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const pollMs = 250

/** Polls a scan until the condition is true. @throws after `withinMs` */
export async function scanWhen(
  visitor: Visitor,
  id: string,
  condition: (scan: Scan) => boolean,
  withinMs: number,
): Promise<Scan> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const { scan } = await visitor.call(getScan, { id })
    if (condition(scan)) return scan
    if (Date.now() > deadline)
      throw new Error(`The scan is still in this state after ${withinMs} ms: ${JSON.stringify(scan)}`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

export const hasEnded = (scan: Scan) => scan.completeTime !== undefined

const scanMsMax = 300_000

/** Scans a target and waits until the scan ends, with any status. */
export async function scanned(visitor: Visitor, targetId: string): Promise<Scan> {
  const { scan } = await visitor.call(startScan, { targetId })
  return scanWhen(visitor, scan.id, hasEnded, scanMsMax)
}
