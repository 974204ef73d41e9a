import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { isConnectionLoss } from '#database/connection-errors.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'

let server: TestServer
let workspace: string
beforeAll(async () => {
  server = await startTestServer()
  workspace = await server.createWorkspace()
})
afterAll(() => server.close())

async function addTag(ctx: Ctx, name: string): Promise<void> {
  await ctx.tx.insertInto('tag').values({ account_id: ctx.workspace, id: newId(), name, color: 0 }).execute()
}
const tags = (of = workspace) =>
  server.as(of, async (ctx) => (await ctx.tx.selectFrom('tag').select('name').execute()).map(({ name }) => name))

it('rolls back a failed transaction and returns a clean connection to the pool', async () => {
  const failing = server.as(workspace, async (ctx) => {
    await addTag(ctx, 'lost')
    await sql`select 1 / 0`.execute(ctx.tx)
  })
  await expect(failing).rejects.toThrow('division by zero')
  for (let attempts = 0; attempts < 8; attempts++) expect(await tags()).toEqual([])
})

it('fails only its own transaction if the connection is lost between two statements', async () => {
  const failing = server.as(workspace, async (ctx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(ctx.tx)
    await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(server.database.owner)
    await addTag(ctx, 'lost')
  })
  expect(isConnectionLoss(await failing.catch((error: unknown) => error))).toBe(true)
  for (let attempts = 0; attempts < 8; attempts++) expect(await tags()).toEqual([])
})

it('runs concurrent statements in order and sees its own workspace only', async () => {
  const other = await server.createWorkspace()
  await server.as(workspace, async (ctx) => {
    await Promise.all(['a', 'b', 'c'].map((name) => addTag(ctx, name)))
    const [first, second] = await Promise.all([
      ctx.tx.selectFrom('tag').select('name').orderBy('name').execute(),
      sql<{ account: string }>`select current_setting('glacis.account') as account`.execute(ctx.tx),
    ])
    expect(first.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    expect(second.rows).toEqual([{ account: workspace }])
  })
  expect(await tags(other)).toEqual([])
})

it('rolls back completely if one of several concurrent statements fails', async () => {
  const failing = server.as(workspace, async (ctx) => {
    await Promise.all([sql`select 1 / 0`.execute(ctx.tx), addTag(ctx, 'd'), addTag(ctx, 'e'), addTag(ctx, 'f')])
  })
  await expect(failing).rejects.toThrow(/division by zero|aborted/)
  for (const name of ['d', 'e', 'f']) expect(await tags()).not.toContain(name)
})

it('repeats a transaction that PostgreSQL aborts to resolve a deadlock, up to four times', async () => {
  const abort = (deadlocks: number) => {
    let attempts = 0
    return server.as(workspace, async (ctx) => {
      attempts += 1
      if (attempts <= deadlocks) await sql`do $$ begin raise sqlstate '40P01'; end $$`.execute(ctx.tx)
      return attempts
    })
  }
  expect(await abort(4)).toBe(5)
  await expect(abort(5)).rejects.toMatchObject({ code: '40P01' })
})

it('rejects statements after the transaction has ended', async () => {
  let endedCtx: Ctx | undefined
  await server.as(workspace, async (ctx) => void (endedCtx = ctx))
  await expect(endedCtx && addTag(endedCtx, 'late')).rejects.toThrow(/already committed/)
  expect(await tags()).not.toContain('late')
})

it('rejects a workspace ID that is not a UUID', async () => {
  const attempt = server.as("x'; drop table tag; --", async () => undefined)
  await expect(attempt).rejects.toThrow('invalid input syntax for type uuid')
})
