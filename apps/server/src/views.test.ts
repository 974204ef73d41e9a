import { beforeEach, expect, it } from 'vitest'
import { sql } from 'kysely'
import type { Ctx } from '#ctx.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'
import { addConcurrently, untilLockWait } from '#testing/concurrency.ts'
import { createView, deleteView, listViews, updateView } from '#views.ts'

const server = await sharedTestServer()
let workspace: string
beforeEach(async () => {
  workspace = await server.createWorkspace()
})

const page = '/risks/verified'
const create = (name: string, of = page) =>
  server.as(workspace, async (ctx) => {
    return (await createView(ctx, { view: { name, page: of, query: 'kev=true', shared: false } })).view
  })
const list = (input: Parameters<typeof listViews>[1] = {}) => server.as(workspace, (ctx) => listViews(ctx, input))
const update = (id: string, view: object, paths: string[]) =>
  server.as(workspace, async (ctx) => (await updateView(ctx, { id, view, updateMask: { paths } })).view)

it('lists views in order of creation, in pages', async () => {
  for (const name of ['One', 'Two', 'Three']) await create(name)
  await create('Elsewhere', '/risks/potential')
  const first = await list({ pageSize: 2, filter: { page } })
  const rest = await list({ pageSize: 2, filter: { page }, pageToken: first.nextPageToken })
  expect([...first.views, ...rest.views].map((view) => view.name)).toEqual(['One', 'Two', 'Three'])
  expect((await list()).views).toHaveLength(4)
})

it('requires unique names per page, ignoring case', async () => {
  const { id } = await create('Mine')
  await expect(create('MINE')).rejects.toMatchObject({ code: 'conflict' })
  const other = await create('Other')
  await expect(update(other.id, { name: 'mine' }, ['name'])).rejects.toMatchObject({ code: 'conflict' })
  expect(await update(id, { name: 'mine' }, ['name'])).toMatchObject({ name: 'mine' })
  expect(await create('Mine', '/scope')).toMatchObject({ page: '/scope' })
})

it.each(['ΣΟΦΟΣ', 'İzmir'])('compares %s as the database does', async (name) => {
  await create(name)
  const { id } = await create('Other')
  await expect(update(id, { name }, ['name'])).rejects.toMatchObject({ code: 'conflict' })
})

it('ignores a name outside updateMask', async () => {
  await create('Mine')
  const { id } = await create('Other')
  expect(await update(id, { name: 'Mine', query: 'sort=epss' }, ['query'])).toMatchObject({ name: 'Other' })
})

it('rejects the later of two concurrent renames to the same name', async () => {
  const [first, second] = [await create('One'), await create('Two')]
  const { promise: updated, resolve: markUpdated } = Promise.withResolvers<void>()
  const outcome = updated.then(() => update(second.id, { name: 'Same' }, ['name']))
  const finished = outcome.catch(() => undefined)
  await server.as(workspace, async (ctx) => {
    await updateView(ctx, { id: first.id, view: { name: 'Same' }, updateMask: { paths: ['name'] } })
    markUpdated()
    await untilLockWait(server)
  })
  await finished
  await expect(outcome).rejects.toMatchObject({ code: 'conflict' })
})

it('updates only the fields in updateMask', async () => {
  const { id } = await create('Mine')
  const changed = await update(id, { name: 'New', query: 'sort=epss' }, ['query'])
  expect(changed).toMatchObject({ name: 'Mine', query: 'sort=epss' })
  await expect(update(id, {}, ['page'])).rejects.toMatchObject({ code: 'invalid' })
  await expect(update(id, {}, ['name'])).rejects.toMatchObject({ code: 'invalid' })
})

it('shows a private view to its owner only', async () => {
  const as = (id: string) => ({ actor: { ...person, id } })
  const view = (name: string, shared: boolean) => ({ view: { name, page, query: '', shared } })
  const { view: hidden } = await server.as(workspace, (ctx) => createView(ctx, view('Mine', false)), as('anna'))
  await server.as(workspace, (ctx) => createView(ctx, view('Ours', true)), as('anna'))
  // The name of a view that bert can't see is free for him.
  await server.as(workspace, (ctx) => createView(ctx, view('Mine', false)), as('bert'))
  const { views } = await server.as(workspace, (ctx) => listViews(ctx, {}), as('bert'))
  expect(views.map(({ name, shared, isYours }) => [name, shared, isYours])).toEqual([
    ['Ours', true, false],
    ['Mine', false, true],
  ])
  const remove = server.as(workspace, (ctx) => deleteView(ctx, { id: hidden.id }), as('bert'))
  await expect(remove).rejects.toMatchObject({ code: 'not_found' })
})

it('deletes a view once', async () => {
  const { id } = await create('Mine')
  expect(await server.as(workspace, (ctx) => deleteView(ctx, { id }))).toEqual({})
  await expect(server.as(workspace, (ctx) => deleteView(ctx, { id }))).rejects.toMatchObject({ code: 'not_found' })
})

it('are limited to two hundred, even when created concurrently', async () => {
  await sql`
    insert into saved_view (account_id, id, name, page, query, shared, owner_id, created_at, updated_at)
    select ${workspace}, new_id(), 'view ' || n, ${page}, '', false, 'nora', now(), now() from generate_series(1, 199) as n`.execute(
    server.database.owner,
  )
  let number = 0
  const add = (ctx: Ctx) => createView(ctx, { view: { name: `new ${++number}`, page, query: '', shared: false } })
  expect(await addConcurrently(server, workspace, add)).toMatchObject({
    status: 'rejected',
    reason: { code: 'precondition' },
  })
})
