/** The identity service in a host, with an outbox and a clock that tests can move. */
import { EventEmitter, once } from 'node:events'
import { inspect } from 'node:util'
import { Secret, TOTP } from 'otpauth'
import { sql } from 'kysely'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll } from 'vitest'
import { type Identity, type IdentityEvent, type IdentityOptions, type Mail, createIdentity } from '#index.ts'
import { Browser, type Reply, inject, overHttp } from '#testing/browser.ts'
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
  /** Moves the clock, in milliseconds. */
  advance(ms: number): void
  /** The mails to an address, once there are so many of them. */
  mailsTo(address: string, count?: number): Promise<Mail[]>
  /** How many mails were meant for an address, delivered or not. */
  mailsMeantFor(address: string): Promise<number>
  browser(agent?: string, ip?: string): Browser
}

interface TestIdentityOptions extends IdentityOptions {
  /** Browsers come over HTTP, to a port of its own. */
  readonly listens: boolean
}

/** Creates one for all tests of a file and closes it after the last; call it at the top level. */
export async function sharedTestIdentity(options?: Partial<TestIdentityOptions>): Promise<TestIdentity> {
  const identity = await createTestIdentity(options)
  afterAll(() => identity[Symbol.asyncDispose]())
  return identity
}

/** Creates and starts one on a database of its own; `options` replace the defaults. */
export async function createTestIdentity({
  listens = false,
  ...options
}: Partial<TestIdentityOptions> = {}): Promise<TestIdentity> {
  const database = await openTestDatabase()
  const outbox: Mail[] = []
  const post = new EventEmitter()
  const events: IdentityEvent[] = []
  const faults: string[] = []
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
      post.emit('mail')
    },
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (fields, message) => {
        // A test that moves the clock may outrun the courier.
        if (message !== 'mail given up') faults.push(`${message} ${inspect(fields)}`)
      },
    },
    onEvent: (event) => events.push(event),
    now,
    // All users sign up from one address.
    signUpsMax: 10_000,
    // Cheap hashes: sign-ins would cost a second of CPU time each.
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
  const wire = listens ? overHttp(await app.listen({ host: '127.0.0.1', port: 0 })) : inject(app)
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
        await once(post, 'mail')
      }
    },
    async mailsMeantFor(address) {
      const query = database.db.selectFrom('identity.mail').select('id').where('recipient', '=', address)
      return (await query.where('status', '<>', 'void').execute()).length
    },
    browser: (agent, ip) => new Browser(wire, agent, ip),
    async [Symbol.asyncDispose]() {
      await app.close()
      await service.close()
      await deliveries
      await database.close()
      if (faults.length > 0) throw new Error(faults.join('\n'))
    },
  }
}

/** Has the mail delivered once the transaction is committed, as a job queue would. */
export const enqueueMail: IdentityOptions['enqueueMail'] = async (tx, id) => {
  await sql`select pg_notify('mail', ${id})`.execute(tx)
}

let people = 0
/** An address that no other test uses. */
export function newAddress(): string {
  people += 1
  return `person${people}@example.test`
}

/** The value of a flow's node. */
export function valueOf(flow: Reply['body'], name: string): string {
  return nodeOf(flow, name)?.attributes.value
}

/** A flow's first node of a name. */
export function nodeOf(flow: Reply['body'], name: string) {
  return flow.ui.nodes.find((node: Reply['body']) => node.attributes.name === name)
}

/** A flow's node that is no input. */
export function nodeWithId(flow: Reply['body'], id: string) {
  return flow.ui.nodes.find((node: Reply['body']) => node.attributes.id === id)
}

/** Ids of the messages above a form. */
export function messageIds(flow: Reply['body']): number[] {
  return (flow.ui.messages ?? []).map((message: { id: number }) => message.id)
}

/** Ids of the messages on a field. */
export function messageIdsOn(flow: Reply['body'], name: string): number[] {
  return (nodeOf(flow, name)?.messages ?? []).map((message: { id: number }) => message.id)
}

/** Starts a flow and sends it. */
export async function complete(browser: Browser, start: string, body: Record<string, unknown>): Promise<Reply> {
  const { body: flow } = await browser.get(start)
  return browser.post(flow.ui.action, { csrf_token: valueOf(flow, 'csrf_token'), ...body })
}

/** Signs somebody up. */
export function register(browser: Browser, email: string, password = goodPassword, query = ''): Promise<Reply> {
  return complete(browser, `/self-service/registration/browser${query}`, {
    method: 'password',
    traits: { email, name: { first: 'John', last: 'Frost' } },
    password,
  })
}

/** Signs somebody in. */
export function signIn(browser: Browser, identifier: string, password = goodPassword, query = ''): Promise<Reply> {
  return complete(browser, `/self-service/login/browser${query}`, { method: 'password', identifier, password })
}

/** Gives an account a second factor that nobody can pass, as enrolling one would. */
export async function enrolSecondFactor({ database: { db } }: TestIdentity, address: string): Promise<void> {
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

/** The code that an authenticator app shows at a moment. */
export function totpAt(secret: string, now: Date): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: now.getTime() })
}

/** Enrols an authenticator app for who is signed in; the secret that the form showed. */
export async function enrolTotp(identity: TestIdentity, browser: Browser): Promise<string> {
  const { body } = await browser.get('/self-service/settings/browser')
  const secret: string = nodeWithId(body, 'totp_secret_key').attributes.text.text
  const code = totpAt(secret, identity.now())
  const answer = await browser.post(body.ui.action, {
    csrf_token: valueOf(body, 'csrf_token'),
    method: 'totp',
    totp_code: code,
  })
  if (answer.status !== 200) throw new Error(`Enrolling failed: ${answer.text}`)
  return secret
}

/** Makes and confirms back-up codes for who is signed in. */
export async function enrolLookupSecrets(browser: Browser): Promise<string[]> {
  const { body: made } = await complete(browser, '/self-service/settings/browser', {
    method: 'lookup_secret',
    lookup_secret_regenerate: true,
  })
  await browser.post(made.ui.action, {
    csrf_token: valueOf(made, 'csrf_token'),
    method: 'lookup_secret',
    lookup_secret_confirm: true,
  })
  return nodeWithId(made, 'lookup_secret_codes').attributes.text.text.split(', ')
}

/** The code of a mail. */
export function codeIn(mail: Mail | undefined): string {
  return /\b\d{6}\b/.exec(mail?.text ?? '')?.[0] ?? ''
}
