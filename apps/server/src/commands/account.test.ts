import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runAccountCommand, exportWorkspaceFile } from './account.ts'
import { createChannel } from '#notifications/index.ts'
import { startScan } from '#scans/index.ts'
import { createTarget } from '#targets/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'
import { createApiToken } from '#tokens.ts'
import { sql } from 'kysely'

const server = await sharedTestServer()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-export-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function createAccount(name: string): Promise<string> {
  const workspace = await server.createWorkspace()
  await server.as(
    workspace,
    async (ctx) => {
      const schedule = { period: 'PERIOD_DAILY' as const }
      const { target } = await createTarget(ctx, { name, address: '127.0.0.1', schedule, tags: [] })
      await startScan(ctx, server.jobs, target.id)
      await createChannel(
        ctx,
        { egress: 'public' },
        {
          channel: { kind: 'KIND_WEBHOOK', webhookUrl: 'https://hooks.example.ch/very-secret' },
        },
      )
      await createApiToken(ctx, { apiToken: { name: 'ci', scopes: ['SCOPE_READ'] } })
    },
    { actor: person },
  )
  return workspace
}

it('works while the server is not running', async () => {
  const [id, file] = [await server.createWorkspace(), join(folder, 'whole.jsonl')]
  const environment = { DATABASE_URL: server.url, GLACIS_DATA: folder }
  await runAccountCommand(['export', id, file], { environment, root: folder })
  expect(await readFile(file, 'utf8')).toContain(id)
})

it('exports every row of one workspace, without secrets, to a file that only its owner can read', async () => {
  const [workspace] = [await createAccount('Mine'), await createAccount('Of another')]
  const file = join(folder, 'mine.jsonl')
  const count = await exportWorkspaceFile(server.database, workspace, file)
  const text = await readFile(file, 'utf8')
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { table: string; row: Record<string, unknown> })
  expect(lines).toHaveLength(count)
  expect(new Set(lines.map((line) => line.table))).toEqual(
    new Set(['workspace', 'api_token', 'audit_event', 'channel', 'event', 'member', 'scan', 'scan_event', 'target']),
  )
  expect(lines[0]).toMatchObject({ table: 'workspace', row: { id: workspace } })
  expect(text).toContain('Mine')
  expect(text).not.toMatch(/Of another|very-secret|whsec_|digest/)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

it("doesn't overwrite a file", async () => {
  const workspace = await server.createWorkspace()
  const file = join(folder, 'twice.jsonl')
  await exportWorkspaceFile(server.database, workspace, file)
  await expect(exportWorkspaceFile(server.database, workspace, file)).rejects.toThrow('already exists')
})

it('removes the file if the export fails', async () => {
  const file = join(folder, 'half.jsonl')
  await expect(exportWorkspaceFile(server.database, 'no uuid', file)).rejects.toThrow('uuid')
  await expect(stat(file)).rejects.toThrow('ENOENT')
})

it('deleting a workspace deletes its rows in every table', async () => {
  const workspace = await createAccount('Going')
  await server.database.owner.deleteFrom('workspace').where('id', '=', workspace).execute()
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'account_id'`.execute(server.database.owner)
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} where account_id = ${workspace} limit 1`.execute(
      server.database.owner,
    )
    expect([name, rows.length]).toEqual([name, 0])
  }
})
