/** Test identity service in a Fastify host, with an outbox and an adjustable clock. */
import { EventEmitter, once } from 'node:events'
import { inspect } from 'node:util'
import { Secret, TOTP } from 'otpauth'
import { sql } from 'kysely'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll } from 'vitest'
import { type Identity, type IdentityEvent, type IdentityOptions, type Mail, createIdentity } from '#index.ts'
import { Browser, type Reply, inProcess, overHttp } from '#testing/browser.ts'
import { type TestDatabase, openTestDatabase } from '#testing/postgres.ts'

export const publicUrl = 'http://localhost:4433'
export const portalUrl = 'http://localhost:3000'
export const goodPassword = 'Correct-Horse-7-Battery'

export interface TestIdentity extends AsyncDisposable {
  readonly app: FastifyInstance
  readonly service: Identity
  readonly database: TestDatabase
  readonly events: IdentityEvent[]
  now(): Date
  /** Advances the clock. */
  advance(ms: number): void
  /** Waits until an address has received this many emails, and returns them. */
  mailsTo(address: string, count?: number): Promise<Mail[]>
  /** Counts the non-void emails to an address, delivered or not. */
  countMailsTo(address: string): Promise<number>
  browser(agent?: string, ip?: string): Browser
}

interface TestIdentityOptions extends IdentityOptions {
  /** Browsers connect over HTTP instead of injecting requests. */
  readonly listens: boolean
}

/** Creates a service for all tests of a file and closes it afterward. Call it at the top level. */
export async function sharedTestIdentity(options?: Partial<TestIdentityOptions>): Promise<TestIdentity> {
  const identity = await createTestIdentity(options)
  afterAll(() => identity[Symbol.asyncDispose]())
  return identity
}

/** Creates and starts a service with its own database. `options` override the defaults. */
export async function createTestIdentity({
  listens = false,
  ...options
}: Partial<TestIdentityOptions> = {}): Promise<TestIdentity> {
  const database = await openTestDatabase()
  const outbox: Mail[] = []
  const mailEvents = new EventEmitter()
  const events: IdentityEvent[] = []
  const errors: string[] = []
  let offsetMs = 0
  let deliveries = Promise.resolve()
  const now = () => new Date(Date.now() + offsetMs)
  const service = createIdentity({
    database: database.db,
    publicUrl,
    portalUrl,
    lifespans: { sessionMs: 24 * 3600_000, flowMs: 3600_000, codeMs: 900_000, privilegedMs: 3600_000 },
    secret: '5a'.repeat(32),
    enqueueMail,
    deliver: async (mail) => {
      outbox.push(mail)
      mailEvents.emit('mail')
    },
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (fields, message) => {
        // An email may expire when a test advances the clock.
        if (message !== 'mail expired before delivery') errors.push(`${message} ${inspect(fields)}`)
      },
    },
    onEvent: (event) => events.push(event),
    now,
    // All test users sign up from the same IP.
    signUpsMax: 10_000,
    // Low-cost hashes keep the tests fast.
    hashing: { memory: 8, passes: 1 },
    ...options,
  })
  const listener = await database.connect()
  listener.on('notification', ({ payload = '' }) => {
    deliveries = deliveries.then(() => service.deliverMail(payload))
  })
  await listener.query('listen mail')
  const app = Fastify()
  await app.register(service.plugin)
  await service.start()
  const wire = listens ? overHttp(await app.listen({ host: '127.0.0.1', port: 0 })) : inProcess(app)
  return {
    app,
    service,
    database,
    events,
    now,
    advance(ms) {
      offsetMs += ms
    },
    async mailsTo(address, count = 1) {
      for (;;) {
        const mails = outbox.filter((mail) => mail.to === address)
        if (mails.length >= count) return mails
        await once(mailEvents, 'mail')
      }
    },
    async countMailsTo(address) {
      const query = database.db.selectFrom('identity.mail').select('id').where('recipient', '=', address)
      return (await query.where('status', '<>', 'void').execute()).length
    },
    browser: (agent, ip) => new Browser(wire, agent, ip),
    async [Symbol.asyncDispose]() {
      await app.close()
      await service.close()
      await listener.query('unlisten mail')
      await deliveries
      await database.close()
      if (errors.length > 0) throw new Error(errors.join('\n'))
    },
  }
}

/** Delivers the email after the transaction commits, like a job queue. */
export const enqueueMail: IdentityOptions['enqueueMail'] = async (tx, id) => {
  await sql`select pg_notify('mail', ${id})`.execute(tx)
}

let addressCount = 0
/** Returns a unique email address. */
export function newAddress(): string {
  addressCount += 1
  return `person${addressCount}@example.test`
}

/** The value of a flow's node. */
export function valueOf(flow: Reply['body'], name: string): string {
  return nodeOf(flow, name)?.attributes.value
}

/** The first node of a flow with this name. */
export function nodeOf(flow: Reply['body'], name: string) {
  return flow.ui.nodes.find((node: Reply['body']) => node.attributes.name === name)
}

/** The node of a flow with this ID; input nodes have none. */
export function nodeWithId(flow: Reply['body'], id: string) {
  return flow.ui.nodes.find((node: Reply['body']) => node.attributes.id === id)
}

/** IDs of the messages above a form. */
export function messageIds(flow: Reply['body']): number[] {
  return (flow.ui.messages ?? []).map((message: { id: number }) => message.id)
}

/** IDs of the messages on a field. */
export function messageIdsOn(flow: Reply['body'], name: string): number[] {
  return (nodeOf(flow, name)?.messages ?? []).map((message: { id: number }) => message.id)
}

/** Starts a flow and submits it. */
export async function submitNewFlow(browser: Browser, start: string, body: Record<string, unknown>): Promise<Reply> {
  const { body: flow } = await browser.get(start)
  return browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), ...body })
}

/** Registers a user with a password. */
export function register(browser: Browser, email: string, password = goodPassword, query = ''): Promise<Reply> {
  return submitNewFlow(browser, `/self-service/registration/browser${query}`, {
    method: 'password',
    traits: { email, name: { first: 'John', last: 'Frost' } },
    password,
  })
}

/** Signs a user in with a password. */
export function signIn(browser: Browser, identifier: string, password = goodPassword, query = ''): Promise<Reply> {
  return submitNewFlow(browser, `/self-service/login/browser${query}`, { method: 'password', identifier, password })
}

/** Enrolls a second factor that can't be completed. */
export async function enrollSecondFactor({ database: { db } }: TestIdentity, address: string): Promise<void> {
  const owner = await db
    .selectFrom('identity.verifiable_address')
    .select('identity_id')
    .where('value', '=', address)
    .executeTakeFirstOrThrow()
  const now = new Date()
  await db
    .insertInto('identity.credential')
    .values({ identity_id: owner.identity_id, type: 'totp', config: '{}', created_at: now, updated_at: now })
    .execute()
}

/** The TOTP code at a given time. */
export function totpAt(secret: string, now: Date): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: now.getTime() })
}

/** Enrolls an authenticator app for the signed-in user and returns its secret. */
export async function enrollTotp(identity: TestIdentity, browser: Browser): Promise<string> {
  const { body } = await browser.get('/self-service/settings/browser')
  const secret: string = nodeWithId(body, 'totp_secret_key').attributes.text.text
  const code = totpAt(secret, identity.now())
  const response = await browser.post(body.ui.action, {
    csrf_token: valueOf(body, 'csrf_token'),
    method: 'totp',
    totp_code: code,
  })
  if (response.status !== 200) throw new Error(`Enrollment failed: ${response.text}`)
  return secret
}

/** Generates and confirms backup codes for the signed-in user. */
export async function enrollLookupSecrets(browser: Browser): Promise<string[]> {
  const { body: created } = await submitNewFlow(browser, '/self-service/settings/browser', {
    method: 'lookup_secret',
    lookup_secret_regenerate: true,
  })
  await browser.post(created.ui.action, {
    csrf_token: valueOf(created, 'csrf_token'),
    method: 'lookup_secret',
    lookup_secret_confirm: true,
  })
  return nodeWithId(created, 'lookup_secret_codes').attributes.text.text.split(', ')
}

/** The six-digit code in an email. */
export function codeIn(mail: Mail | undefined): string {
  return /\b\d{6}\b/.exec(mail?.text ?? '')?.[0] ?? ''
}
