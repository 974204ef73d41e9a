/** Response times can't reveal whether an address is known if both cases do the same work: statements and password hashes. */
import { argon2 } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { beforeAll, expect, it, vi } from 'vitest'
import { newAddress, register, sharedTestIdentity, valueOf } from '#testing/test-identity.ts'

vi.mock(import('node:crypto'), { spy: true })
const query = vi.spyOn(pg.Client.prototype, 'query')

const identity = await sharedTestIdentity({
  methods: { code: 'first' },
  // A statement in place of the job; nothing is delivered while statements are recorded.
  enqueueMail: async (tx) => void (await sql`select 'enqueue mail'`.execute(tx)),
})

const password = { method: 'password', password: 'wrong password' }
const code = { method: 'code' }

beforeAll(async () => {
  // The hash for unknown accounts is created once per process.
  await submit('login', newAddress(), 'identifier', password)
})

it.each([
  ['a sign-in with a password', 'login', 'identifier', password, null, 1],
  ['a request for a sign-in code', 'login', 'identifier', code, null, 0],
  ['a sign-in with a wrong code', 'login', 'identifier', code, { code: 'wrong' }, 0],
  ['a recovery', 'recovery', 'email', code, null, 0],
  ['a recovery with a wrong code', 'recovery', 'email', code, { code: 'wrong' }, 0],
  ['a verification', 'verification', 'email', code, null, 0],
  ['a verification with a wrong code', 'verification', 'email', code, { code: 'wrong' }, 0],
] as const)(
  'SEC-A3 does the same work for known and unknown addresses in %s',
  async (...[, flow, field, first, second, hashes]) => {
    const known = newAddress()
    await register(identity.browser(), known)
    const work = {
      known: await submit(flow, known, field, first, second),
      unknown: await submit(flow, newAddress(), field, first, second),
    }
    expect(work.unknown).toEqual(work.known)
    expect(work.known.statements.length).toBeGreaterThan(2)
    expect(work.known.hashes).toHaveLength(hashes)
  },
)

/** Submits a new flow, and then the second form, if any. @returns the work of the last submission */
async function submit(flow: string, address: string, field: string, first: object, second: object | null = null) {
  const browser = identity.browser()
  const { body } = await browser.get(`/self-service/${flow}/browser`)
  const post = (fields: object) => browser.post(body.ui.action, { csrf_token: valueOf(body, 'csrf_token'), ...fields })
  if (second) await post({ ...first, [field]: address })
  query.mockClear()
  vi.mocked(argon2).mockClear()
  await post(second ? { ...first, ...second } : { ...first, [field]: address })
  return {
    statements: query.mock.calls.map(([given]) => textOf(given)),
    hashes: vi.mocked(argon2).mock.calls.map(([, { memory, passes, parallelism, tagLength }]) => ({
      memory,
      passes,
      parallelism,
      tagLength,
    })),
  }
}

function textOf(given: unknown): string {
  return typeof given === 'object' && given !== null && 'text' in given ? String(given.text) : String(given)
}
