import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CommandResult, runInProcess } from '#testing/command.ts'
import { type TestDatabase, testDatabase } from '#testing/database.ts'

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

function glacis(args: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  return runInProcess(['identity', ...args], { GLACIS_DATA: folder, DATABASE_URL: database.url, ...settings })
}

/** Starts the program, which reads the password from its standard input. */
async function create(...args: readonly string[]): Promise<string> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const program = [join(import.meta.dirname, '../main.ts'), 'identity', 'create', ...args, '--password-stdin']
  const env = { PATH, NODE_COMPILE_CACHE, GLACIS_DATA: folder, DATABASE_URL: database.url }
  const running = promisify(execFile)(process.execPath, program, { env })
  running.child.stdin?.end('contour-line-4478\n')
  return (await running).stdout
}

async function query(statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query(statement)
  await client.end()
  return rows
}

async function auditActions(): Promise<readonly unknown[]> {
  const rows = await query("select action from audit_event where actor_kind = 'operator' order by at")
  return rows.map(({ action }) => action)
}

it('creates, shows, disables, enables, and deletes a user, and records it in the audit log', async () => {
  expect(await glacis(['list'])).toEqual({ code: 0, stdout: 'No users yet.\n', stderr: '' })
  expect(await create('nora@aarewerk.example', 'Nora', 'Ammann', '--verified')).toBe(
    'Created nora@aarewerk.example. The password is set.\n',
  )
  const { identity } = JSON.parse((await glacis(['show', 'NORA@aarewerk.example', '--json'])).stdout)
  expect(identity).toMatchObject({ email: 'nora@aarewerk.example', verified: true, credentials: ['password'] })
  expect((await glacis(['disable', identity.id])).stdout).toBe('nora@aarewerk.example is disabled.\n')
  expect((await glacis(['enable', identity.id])).stdout).toBe('nora@aarewerk.example is enabled.\n')
  expect((await glacis(['reset-2fa', identity.id])).stdout).toBe('nora@aarewerk.example has no second factor.\n')
  expect(await auditActions()).toEqual(['identity.created', 'identity.disabled', 'identity.enabled'])
  const withoutYes = await glacis(['delete', identity.id])
  expect([withoutYes.code, withoutYes.stderr]).toEqual([
    2,
    'This permanently deletes nora@aarewerk.example. Pass --yes to confirm.\n',
  ])
  expect((await glacis(['delete', identity.id, '--yes'])).stdout).toBe('Deleted nora@aarewerk.example.\n')
  expect(JSON.parse((await glacis(['list', '--json'])).stdout)).toEqual({ identities: [] })
  const deletions = (await glacis(['deletions', '--json'])).stdout
  expect(JSON.parse(deletions)).toMatchObject({
    deletions: [{ action: 'identity.delete', identityId: identity.id, detail: { targets: 0 } }],
  })
  expect(deletions).not.toMatch(/nora|aarewerk/i)
})

it('appoints administrators, even with an external identity service, and opens sign-in to all networks', async () => {
  const email = 'ada@aarewerk.example'
  await glacis(['create', email, 'Ada', 'Ammann', '--verified'])
  const isAdministrator = async () => (await query('select identity_id from installation_admin')).length > 0
  expect((await glacis(['grant-admin', 'ADA@aarewerk.example'])).stdout).toBe(
    `${email} administers this installation.\n`,
  )
  expect(await isAdministrator()).toBe(true)
  const external = { GLACIS_IDENTITY_URL: 'https://id.example.org' }
  expect((await glacis(['revoke-admin', email], external)).code).toBe(0)
  expect(await isAdministrator()).toBe(false)
  await query("update workspace set sign_in_networks = '{192.0.2.0/24}'")
  expect((await glacis(['allow-all-networks'])).code).toBe(0)
  expect(await query("select id from workspace where sign_in_networks <> '{}'")).toEqual([])
  expect((await glacis(['grant-admin', 'unknown@example.org'])).stderr).toMatch(
    /^No user found for unknown@example\.org\. /,
  )
  await glacis(['delete', email, '--yes'])
})

it('can repeat a deletion that failed halfway', async () => {
  const email = 'lena@aarewerk.example'
  await glacis(['create', email, 'Lena', 'Ammann', '--verified'])
  await query('alter table deletion rename to deletion_renamed')
  await expect(glacis(['delete', email, '--yes'])).rejects.toThrow('deletion')
  await query('alter table deletion_renamed rename to deletion')
  expect(JSON.parse((await glacis(['show', email, '--json'])).stdout)).toMatchObject({
    identity: { state: 'inactive' },
  })
  expect((await glacis(['delete', email, '--yes'])).stdout).toBe(`Deleted ${email}.\n`)
})

it.each([
  [['show', 'unknown@example.org'], 1, /^No user found for unknown@example\.org\. /],
  [['create', 'nobody', 'No', 'Body'], 1, /^User not created: [A-Z].{10,80}\.\n$/],
  [['show'], 2, /^Usage: glacis identity show USER\n$/],
  [['list', '--jsno'], 2, /^Unknown option '--jsno'/],
  [['lst'], 2, /^Unknown command "glacis identity lst"/],
])('%j exits with an error message and code %i', async (args, code, stderr) => {
  const result = await glacis(args)
  expect([result.code, result.stdout]).toEqual([code, ''])
  expect(result.stderr).toMatch(stderr)
})

it('refers to the external identity service if one is configured', async () => {
  const result = await glacis(['list'], { GLACIS_IDENTITY_URL: 'https://id.example.org' })
  expect([result.code, result.stderr]).toEqual([
    1,
    'Users are managed by the identity service at https://id.example.org. Use its own tools.\n',
  ])
})

it('explains that Glacis was never started if there is no database', async () => {
  const result = await glacis(['list'], { DATABASE_URL: '' })
  expect([result.code, result.stderr]).toEqual([
    1,
    expect.stringMatching(/contains no Glacis data\. Start Glacis once/),
  ])
})
