import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/agent'
import type { Agent } from '@glacis/contract/agent'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage, totalOf } from '#database/page.ts'
import { describeAgents, heartbeatTimeoutMs } from '#agents/describe.ts'
import { notFound } from '#errors.ts'

export async function listAgents(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listAgents>,
): Promise<ResultOf<typeof contract.listAgents>> {
  const { filter = {} } = input
  const page = readPage(input, ['agents', filter])
  let query = ctx.tx.selectFrom('agent').select('id').where('account_id', '=', ctx.workspace)
  if (filter.query) query = query.where('name', 'ilike', `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`)
  if (filter.status?.length === 1) {
    const isWanted = filter.status[0] === 'STATUS_CONNECTED'
    query = query.where(({ and, not, eb }) => {
      const isHere = and([
        eb('connection_id', 'is not', null),
        eb('last_seen_at', '>', new Date(ctx.now.getTime() - heartbeatTimeoutMs)),
      ])
      return isWanted ? isHere : not(eb.fn.coalesce(isHere, eb.lit(false)))
    })
  }
  const fromPage = page.after ? query.where('id', '<', String(page.after[0])) : query
  const [listed, total] = await Promise.all([
    fromPage
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute(),
    page.after ? {} : totalOf(ctx, query),
  ])
  const { rows, nextPageToken } = cutPage(page, listed, (row) => [row.id])
  const described = await describeAgents(
    ctx,
    rows.map((row) => row.id),
  )
  return { agents: rows.flatMap((row) => described.get(row.id) ?? []), nextPageToken, ...total }
}

/** @throws ApiError `not_found` */
export async function getAgent(ctx: Ctx, { id }: { id: string }): Promise<{ agent: Agent }> {
  const agent = (await describeAgents(ctx, [id])).get(id)
  if (!agent) throw notFound('agent', id)
  return { agent }
}

/** @throws ApiError `not_found` */
export async function listAgentConnections(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listAgentConnections>,
): Promise<ResultOf<typeof contract.listAgentConnections>> {
  await getAgent(ctx, input)
  const page = readPage(input, ['connections', input.id])
  let query = ctx.tx
    .selectFrom('agent_connection')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', input.id)
    .orderBy('id', 'desc')
    .limit(page.size + 1)
  if (page.after) query = query.where('id', '<', String(page.after[0]))
  const { rows, nextPageToken } = cutPage(page, await query.execute(), (row) => [row.id])
  const connections = rows.map((row) => ({
    id: row.id,
    connectTime: row.connected_at.toISOString(),
    ...(row.disconnected_at && { disconnectTime: row.disconnected_at.toISOString() }),
    ...(row.reason && { reason: row.reason }),
    version: row.version,
    address: row.address,
  }))
  return { connections, nextPageToken }
}
