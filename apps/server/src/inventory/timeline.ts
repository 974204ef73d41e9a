import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/host'
import type { HostEvent } from '@glacis/contract/host'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage } from '#database/page.ts'
import { notFound } from '#errors.ts'
import { type RawBuilder, sql } from 'kysely'

interface Row {
  /** With microseconds, the database's sort precision. */
  readonly exact: string
  /** Breaks ties between entries with the same time. */
  readonly key: string
  readonly at: Date
  readonly kind: HostEvent['kind']
  readonly name: string
  readonly port: number | null
  readonly product_id: string | null
  readonly issue_id: string | null
  readonly status: string | null
}

/**
 * The history of a host and the hosts merged into it, newest first. A port or product that
 * disappeared and returned shows only its latest first-seen and gone times.
 *
 * @throws ApiError `not_found`
 */
export async function hostTimeline(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.hostTimeline>,
): Promise<ResultOf<typeof contract.hostTimeline>> {
  const ids = await membersOf(ctx, input.id)
  if (ids.length === 0) throw notFound('host', input.id)
  const page = readPage(input, ['timeline', input.id])
  const after = page.after ? sql`where (at, key) < (${page.after[0]}::timestamptz, ${page.after[1]})` : sql``
  const { rows } = await sql<Row>`
    select event.*, at::text as exact from (${timelineEvents(ctx, ids)}) as event
    ${after}
    order by at desc, key desc
    limit ${page.size + 1}`.execute(ctx.tx)
  const cut = cutPage(page, rows, (row) => [row.exact, row.key])
  return { events: cut.rows.map(toEvent), nextPageToken: cut.nextPageToken }
}

function toEvent(row: Row): HostEvent {
  return {
    time: row.at.toISOString(),
    kind: row.kind,
    name: row.name,
    ...(row.port !== null && { port: row.port }),
    ...(row.product_id && { productId: row.product_id }),
    ...(row.issue_id && { issueId: row.issue_id }),
    ...(row.status && { issueStatus: row.status }),
  }
}

async function membersOf(ctx: Ctx, id: string): Promise<string[]> {
  const rows = await ctx.tx
    .selectFrom('host')
    .select('id')
    .where('account_id', '=', ctx.workspace)
    .where((where) => where.or([where('id', '=', id), where('merged_into', '=', id)]))
    .execute()
  return rows.map((row) => row.id)
}

function timelineEvents(ctx: Ctx, ids: readonly string[]): RawBuilder<unknown> {
  const port = sql`service.port || '/' || service.transport`
  const service = (at: 'first_seen_at' | 'gone_at', kind: HostEvent['kind']) => sql`
    select ${sql.ref(`service.${at}`)} as at, ${kind} || service.host_id || ${port} as key, ${kind} as kind,
           ${port} as name, service.port, null::uuid as product_id, null::uuid as issue_id, null as status
    from service
    where service.account_id = ${ctx.workspace} and service.host_id = any(${ids}::uuid[]) and ${sql.ref(`service.${at}`)} is not null`
  const software = (at: 'first_seen_at' | 'gone_at', kind: HostEvent['kind']) => sql`
    select ${sql.ref(`host_product.${at}`)}, ${kind} || host_product.host_id || host_product.product_id || host_product.port,
           ${kind}, trim(product.name || ' ' || product.version), host_product.port, product.id, null, null
    from host_product
    join product on product.account_id = host_product.account_id and product.id = host_product.product_id
    where host_product.account_id = ${ctx.workspace} and host_product.host_id = any(${ids}::uuid[])
      and ${sql.ref(`host_product.${at}`)} is not null`
  return sql`
    select first_seen_at as at, 'KIND_FIRST_SEEN' || id as key, 'KIND_FIRST_SEEN' as kind, address as name,
           null::int as port, null::uuid as product_id, null::uuid as issue_id, null as status
    from host where account_id = ${ctx.workspace} and id = any(${ids}::uuid[])
    union all ${service('first_seen_at', 'KIND_PORT_OPENED')}
    union all ${service('gone_at', 'KIND_PORT_CLOSED')}
    union all ${software('first_seen_at', 'KIND_TECHNOLOGY_APPEARED')}
    union all ${software('gone_at', 'KIND_TECHNOLOGY_GONE')}
    union all
    select event.at, 'KIND_ISSUE' || event.id, 'KIND_ISSUE', threat.name, null, null, event.issue_id, event.status
    from issue_event as event
    join issue on issue.account_id = event.account_id and issue.id = event.issue_id
    join threat on threat.id = issue.threat_id
    where event.account_id = ${ctx.workspace} and event.host_id = any(${ids}::uuid[])`
}
