import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { isAway } from '#database/loss.ts'
import { type House, openHouse } from '#testing/house.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'

let house: House
let account: string
beforeAll(async () => {
  house = await openHouse()
  account = await house.account()
})
afterAll(() => house.close())

async function addTag(ctx: Ctx, name: string): Promise<void> {
  await ctx.tx.insertInto('tag').values({ account_id: ctx.account, id: newId(), name, color: 0 }).execute()
}
const tags = (of = account) =>
  house.as(of, async (ctx) => (await ctx.tx.selectFrom('tag').select('name').execute()).map(({ name }) => name))

it('keeps nothing of a transaction that fails, and the connection is as good as new', async () => {
  const failing = house.as(account, async (ctx) => {
    await addTag(ctx, 'lost')
    await sql`select 1 / 0`.execute(ctx.tx)
  })
  await expect(failing).rejects.toThrow('division by zero')
  for (let each = 0; each < 8; each++) expect(await tags()).toEqual([])
})

it('fails alone when its connection breaks between two statements', async () => {
  const failing = house.as(account, async (ctx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(ctx.tx)
    await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(house.database.owner)
    await addTag(ctx, 'lost')
  })
  expect(isAway(await failing.catch((error: unknown) => error))).toBe(true)
  for (let each = 0; each < 8; each++) expect(await tags()).toEqual([])
})

it('does together what is asked together, in the order of asking, and sees only its own account', async () => {
  const other = await house.account()
  await house.as(account, async (ctx) => {
    await Promise.all(['a', 'b', 'c'].map((name) => addTag(ctx, name)))
    const [first, second] = await Promise.all([
      ctx.tx.selectFrom('tag').select('name').orderBy('name').execute(),
      sql<{ account: string }>`select current_setting('glacis.account') as account`.execute(ctx.tx),
    ])
    expect(first.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    expect(second.rows).toEqual([{ account }])
  })
  expect(await tags(other)).toEqual([])
})

it('fails as a whole when one of those asked together fails', async () => {
  const failing = house.as(account, async (ctx) => {
    await Promise.all([sql`select 1 / 0`.execute(ctx.tx), addTag(ctx, 'd'), addTag(ctx, 'e'), addTag(ctx, 'f')])
  })
  await expect(failing).rejects.toThrow(/division by zero|aborted/)
  for (const name of ['d', 'e', 'f']) expect(await tags()).not.toContain(name)
})

it('lets nothing be said in a transaction that is over', async () => {
  let kept: Ctx | undefined
  await house.as(account, async (ctx) => void (kept = ctx))
  await expect(kept && addTag(kept, 'late')).rejects.toThrow(/already committed/)
  expect(await tags()).not.toContain('late')
})

it('takes no name of an account that is no UUID', async () => {
  const wrong = house.as("x'; drop table tag; --", async () => undefined)
  await expect(wrong).rejects.toThrow('invalid input syntax for type uuid')
})
