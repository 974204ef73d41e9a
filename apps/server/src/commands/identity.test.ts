import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '#testing/database.ts'

// Each test starts the command line several times, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

let database: TestDatabase
let folder: string
beforeAll(async () => {
  database = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'glacis-identity-'))
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

interface Ending {
  readonly code: number | string | null | undefined
  readonly out: string
  readonly said: string
}

function glacis(
  words: readonly string[],
  input = '',
  settings: Readonly<Record<string, string>> = {},
): Promise<Ending> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, GLACIS_DATA: folder, DATABASE_URL: database.url, ...settings }
  const { promise, resolve } = Promise.withResolvers<Ending>()
  const program = [join(import.meta.dirname, '../main.ts'), 'identity', ...words]
  const child = execFile(process.execPath, program, { env }, (error, out, said) => {
    resolve({ code: error ? error.code : 0, out, said })
  })
  child.stdin?.end(input)
  return promise
}

async function ask(statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query(statement)
  await client.end()
  return rows
}

async function trail(): Promise<readonly unknown[]> {
  const rows = await ask("select action from audit_event where actor_kind = 'operator' order by at")
  return rows.map(({ action }) => action)
}

it('helps somebody through a whole life, and leaves a trail of it', async () => {
  expect(await glacis(['list'])).toEqual({ code: 0, out: 'No users yet.\n', said: '' })
  const made = await glacis(
    ['create', 'nora@aarewerk.example', 'Nora', 'Ammann', '--verified', '--password-stdin'],
    'contour-line-4478\n',
  )
  expect(made).toEqual({ code: 0, out: 'Created nora@aarewerk.example. The password is set.\n', said: '' })
  const { identity } = JSON.parse((await glacis(['show', 'NORA@aarewerk.example', '--json'])).out)
  expect(identity).toMatchObject({ email: 'nora@aarewerk.example', verified: true, credentials: ['password'] })
  expect((await glacis(['disable', identity.id])).out).toBe('nora@aarewerk.example is disabled.\n')
  expect((await glacis(['enable', identity.id])).out).toBe('nora@aarewerk.example is enabled.\n')
  expect((await glacis(['reset-2fa', identity.id])).out).toBe('nora@aarewerk.example has no second factor.\n')
  expect(await trail()).toEqual(['identity.created', 'identity.disabled', 'identity.enabled'])
  const kept = await glacis(['delete', identity.id])
  expect([kept.code, kept.said]).toEqual([
    1,
    'This permanently deletes nora@aarewerk.example. Pass --yes to confirm.\n',
  ])
  expect((await glacis(['delete', identity.id, '--yes'])).out).toBe('Deleted nora@aarewerk.example.\n')
  expect(JSON.parse((await glacis(['list', '--json'])).out)).toEqual({ identities: [] })
  const left = (await glacis(['deletions', '--json'])).out
  expect(JSON.parse(left)).toMatchObject({
    deletions: [{ action: 'identity.delete', identityId: identity.id, detail: { targets: 0 } }],
  })
  expect(left).not.toMatch(/nora|aarewerk/i)
}, 60_000)

it('deletes all of somebody or can be asked again', async () => {
  const who = 'lena@aarewerk.example'
  await glacis(['create', who, 'Lena', 'Ammann', '--verified', '--password-stdin'], 'contour-line-4478\n')
  await ask('alter table deletion rename to deletion_of_another_day')
  expect((await glacis(['delete', who, '--yes'])).code).not.toBe(0)
  await ask('alter table deletion_of_another_day rename to deletion')
  expect(JSON.parse((await glacis(['show', who, '--json'])).out)).toMatchObject({ identity: { state: 'inactive' } })
  expect((await glacis(['delete', who, '--yes'])).out).toBe(`Deleted ${who}.\n`)
}, 60_000)

it.each([
  [['show', 'nobody@example.org'], 1, /^No user found for nobody@example\.org\. /],
  [['create', 'nobody', 'No', 'Body'], 1, /^User not created: traits\.email: /],
  [['show'], 2, /^Usage: glacis identity show <email or id>\n$/],
  [['list', '--jsno'], 2, /^Unknown option '--jsno'/],
  [['lst'], 2, /^Unknown command "glacis identity lst"/],
])('answers %j with a sentence and %i', async (words, code, said) => {
  const ending = await glacis(words)
  expect([ending.code, ending.out]).toEqual([code, ''])
  expect(ending.said).toMatch(said)
})

it('sends those with a service of their own to its commands', async () => {
  const ending = await glacis(['list'], '', { GLACIS_IDENTITY_URL: 'https://id.example.org' })
  expect([ending.code, ending.said]).toEqual([
    1,
    'Users are managed by the identity service at https://id.example.org. Use its own tools.\n',
  ])
})

it('says so where nothing was started yet', async () => {
  const ending = await glacis(['list'], '', { DATABASE_URL: '' })
  expect([ending.code, ending.said]).toEqual([1, expect.stringMatching(/contains no Glacis data\. Start Glacis once/)])
})
