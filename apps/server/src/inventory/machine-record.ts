/** Records what agents report about their own machines. */
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import { type InventoryItem, inventoryLimits, type reportAgentInventory } from '@glacis/contract/machine'
import { releaseOfSystem } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { storable, storableJson } from '#database/text.ts'
import { ApiError, invalid } from '#errors.ts'
import { sql } from 'kysely'

type Report = ParsedInputOf<typeof reportAgentInventory>

/** The effect of one part. */
export interface RecordedPart {
  /** The server's state differs from the one that the changes apply to. */
  readonly isFullNeeded: boolean
  /** The inventory is complete, and differs from the last complete one in more than sockets. */
  readonly isChanged: boolean
}

/**
 * Applies one part of an inventory. A part that was already applied has no effect.
 *
 * @throws ApiError `conflict` if the inventory is turned off for this agent; `invalid` if it would exceed the limits
 */
export async function recordMachine(ctx: Ctx, agentId: string, report: Report): Promise<RecordedPart> {
  const agent = await ctx.tx
    .selectFrom('agent')
    .select('has_inventory')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', agentId)
    .forUpdate()
    .executeTakeFirst()
  if (!agent?.has_inventory) throw new ApiError('conflict', 'The inventory is turned off for this agent')
  const before = await ctx.tx
    .selectFrom('agent_inventory')
    .select(['digest', 'is_complete', 'release', 'kernel', 'addresses'])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
  const isApplied = before?.digest === report.digest && before.is_complete === report.isLast
  if (!isApplied && report.base !== undefined && before?.digest !== report.base)
    return { isFullNeeded: true, isChanged: false }
  if (!isApplied && report.base === undefined) await deleteMachine(ctx, agentId)
  const columns = columnsOf(ctx, report)
  await writeInventory(ctx, agentId, columns)
  if (isApplied) return { isFullNeeded: false, isChanged: false }
  await removeItems(ctx, agentId, report.removed)
  await addItems(ctx, agentId, report.added)
  await checkLimits(ctx, agentId)
  return { isFullNeeded: false, isChanged: report.isLast && !(before && isOnlySockets(before, columns, report)) }
}

/** Deletes what an agent has reported. */
export async function deleteMachine(ctx: Ctx, agentId: string): Promise<void> {
  await ctx.tx
    .deleteFrom('agent_inventory')
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', agentId)
    .execute()
}

type Columns = ReturnType<typeof columnsOf>

function columnsOf(ctx: Ctx, { machine, digest, isLast }: Report) {
  return {
    digest: storable(digest),
    is_complete: isLast,
    system: storable(machine.systemName),
    release: releaseOfSystem(machine.systemId, machine.systemVersion),
    kernel: storable(machine.kernel),
    addresses: machine.addresses.map(storable),
    received_at: ctx.now,
  }
}

/** Sockets change often, and no issue depends on them. */
function isOnlySockets(
  before: Pick<Columns, 'is_complete' | 'release' | 'kernel' | 'addresses'>,
  columns: Columns,
  { base, removed, added }: Report,
): boolean {
  return (
    base !== undefined &&
    before.is_complete &&
    before.release === columns.release &&
    before.kernel === columns.kernel &&
    before.addresses.join() === columns.addresses.join() &&
    [...removed, ...added].every(({ kind }) => kind === 'socket')
  )
}

async function writeInventory(ctx: Ctx, agentId: string, columns: Columns): Promise<void> {
  await ctx.tx
    .insertInto('agent_inventory')
    .values({ account_id: ctx.workspace, agent_id: agentId, ...columns })
    .onConflict((conflict) => conflict.columns(['account_id', 'agent_id']).doUpdateSet(columns))
    .execute()
}

const itemsOf = (items: readonly InventoryItem[], kind: InventoryItem['kind']) =>
  storableJson(items.filter((item) => item.kind === kind))

const packageRows = (items: readonly InventoryItem[]) => sql`
  jsonb_to_recordset(${itemsOf(items, 'package')}::jsonb) as item
    (manager text, name text, version text, architecture text, source text, "sourceVersion" text)`
const socketRows = (items: readonly InventoryItem[]) => sql`
  jsonb_to_recordset(${itemsOf(items, 'socket')}::jsonb) as item
    (transport text, address text, port integer, process text)`
const containerRows = (items: readonly InventoryItem[]) => sql`
  jsonb_to_recordset(${itemsOf(items, 'container')}::jsonb) as item
    (id text, name text, image text, "imageId" text, ports integer[])`

async function removeItems(ctx: Ctx, agentId: string, items: readonly InventoryItem[]): Promise<void> {
  if (items.length === 0) return
  await sql`
    delete from agent_package as own using ${packageRows(items)}
    where own.account_id = ${ctx.workspace} and own.agent_id = ${agentId} and own.manager = item.manager
      and own.name = item.name and own.version = item.version and own.architecture = item.architecture`.execute(ctx.tx)
  await sql`
    delete from agent_socket as own using ${socketRows(items)}
    where own.account_id = ${ctx.workspace} and own.agent_id = ${agentId} and own.transport = item.transport
      and own.address = item.address and own.port = item.port and own.process = item.process`.execute(ctx.tx)
  await sql`
    delete from agent_container as own using ${containerRows(items)}
    where own.account_id = ${ctx.workspace} and own.agent_id = ${agentId} and own.container_id = item.id`.execute(
    ctx.tx,
  )
}

async function addItems(ctx: Ctx, agentId: string, items: readonly InventoryItem[]): Promise<void> {
  if (items.length === 0) return
  await sql`
    insert into agent_package (account_id, agent_id, manager, name, version, architecture, source, source_version)
    select ${ctx.workspace}, ${agentId}, manager, name, version, architecture, source, "sourceVersion"
    from ${packageRows(items)}
    on conflict do nothing`.execute(ctx.tx)
  await sql`
    insert into agent_socket (account_id, agent_id, transport, address, port, process)
    select ${ctx.workspace}, ${agentId}, transport, address, port, process from ${socketRows(items)}
    on conflict do nothing`.execute(ctx.tx)
  await sql`
    insert into agent_container (account_id, agent_id, container_id, name, image, image_id, ports)
    select ${ctx.workspace}, ${agentId}, id, name, image, "imageId", ports from ${containerRows(items)}
    on conflict do nothing`.execute(ctx.tx)
}

async function checkLimits(ctx: Ctx, agentId: string): Promise<void> {
  const { rows } = await sql<{ packages: number; sockets: number; containers: number }>`
    select (select count(*)::int from agent_package where account_id = ${ctx.workspace} and agent_id = ${agentId}) as packages,
      (select count(*)::int from agent_socket where account_id = ${ctx.workspace} and agent_id = ${agentId}) as sockets,
      (select count(*)::int from agent_container where account_id = ${ctx.workspace} and agent_id = ${agentId}) as containers`.execute(
    ctx.tx,
  )
  const { packages = 0, sockets = 0, containers = 0 } = rows[0] ?? {}
  const { packagesMax, socketsMax, containersMax } = inventoryLimits
  if (packages > packagesMax || sockets > socketsMax || containers > containersMax)
    throw invalid(
      'added',
      `The inventory is too large. Limits: ${packagesMax} packages, ${socketsMax} sockets, ${containersMax} containers`,
    )
}
