import type { Host } from '@glacis/contract/host'
import type { SeverityCount } from '@glacis/contract/primitives'
import type { Target } from '@glacis/contract/target'
import type { Ctx } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { timestampText, toIso } from '#database/timestamps.ts'
import { severityCountColumns } from '#database/severity.ts'
import { notFound } from '#errors.ts'
import { inventoryOf, withServiceName, servicesOf } from '#inventory/contents.ts'
import { machinesAmong } from '#inventory/machine.ts'
import { type Selectable, sql } from 'kysely'

/** Loads targets by ID. Passed in by the caller, because inventory may not depend on targets. */
export type Targets = (ctx: Ctx, ids: readonly string[]) => Promise<ReadonlyMap<string, Target>>

/** Returns a host; for a merged host, the host it was merged into. @throws ApiError `not_found` */
export async function getHost(ctx: Ctx, { id }: { id: string }, targets: Targets): Promise<{ host: Host }> {
  const survivor = (await mergedInto(ctx, id)) ?? id
  const host = (await describeHosts(ctx, [survivor], targets)).get(survivor)
  if (!host) throw notFound('host', id)
  const merged = host.merged?.map((member) => member.id) ?? []
  const [machine] = await machinesAmong(ctx, [survivor, ...merged])
  return { host: { ...host, ...(machine && { inventoryAgentId: machine.agentId }) } }
}

async function mergedInto(ctx: Ctx, id: string): Promise<string | null> {
  const row = await ctx.tx
    .selectFrom('host')
    .select('merged_into')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.merged_into ?? null
}

/**
 * The hosts with these IDs, in their API representation and in a fixed number of statements. Includes services,
 * software, and issues of merged hosts. `isBrief` omits target, services, and software, for hosts nested in other
 * resources.
 */
export async function describeHosts(
  ctx: Ctx,
  ids: readonly string[],
  targets: Targets,
  { isBrief = false }: { readonly isBrief?: boolean } = {},
): Promise<ReadonlyMap<string, Host>> {
  const uniqueIds = [...new Set(ids)]
  if (uniqueIds.length === 0) return new Map()
  const group = await withMerged(ctx, uniqueIds)
  const [rows, merged] = [group.filter((row) => !row.is_member), group.filter((row) => row.is_member)]
  const membersOf = Map.groupBy(merged, (row) => row.merged_into)
  const contents = isBrief ? [] : [...uniqueIds, ...merged.map((row) => row.id)]
  const [counts, described, inventory, services] = await Promise.all([
    countsOf(ctx, uniqueIds, merged),
    targets(ctx, isBrief ? [] : rows.map((row) => row.target_id)),
    inventoryOf(ctx, contents),
    servicesOf(ctx, contents),
  ])
  return new Map(
    rows.map((row) => {
      const target = described.get(row.target_id)
      const others = membersOf.get(row.id) ?? []
      const group = [row, ...others]
      const host: Host = {
        id: row.id,
        address: row.address,
        ...(row.name && { name: row.name }),
        ...(target && { target }),
        inventory: group.flatMap((item) => inventory.get(item.id) ?? []),
        services: group.flatMap((item) =>
          (services.get(item.id) ?? []).map((service) => ({
            ...withServiceName(service, inventory.get(item.id) ?? []),
            ...(others.length > 0 && { address: item.address }),
          })),
        ),
        issueCount: counts?.get(row.id) ?? { critical: row.critical, high: row.high, medium: row.medium, low: row.low },
        createTime: toIso(row.first_seen_at),
        updateTime: toIso(row.updated_at),
        lastCheckTime: latest(group.map((item) => toIso(item.last_checked_at))),
        lastSeenTime: latest(group.map((item) => toIso(item.last_seen_at))),
        owner: row.owner,
        criticality: row.criticality,
        notes: row.notes,
        ...(others.length > 0 && {
          merged: others.map(({ id, address, target_id: targetId }) => ({ id, address, targetId })),
        }),
      }
      return [row.id, host]
    }),
  )
}

/** Timestamps in the same format sort as text. */
function latest(times: readonly string[]): string {
  return times.reduce((last, time) => (time > last ? time : last), '')
}

const columns = ['id', 'target_id', 'merged_into', 'address', 'name', 'owner', 'criticality', 'notes'] as const
const times = ['first_seen_at', 'last_seen_at', 'last_checked_at', 'updated_at'] as const
/** Times are text as formatted by the database. */
type Row = Pick<Selectable<Tables['host']>, (typeof columns)[number]> &
  Readonly<Record<(typeof times)[number], string>> &
  SeverityCount

/** These hosts and, as members, the hosts merged into them, sorted by address. */
async function withMerged(ctx: Ctx, ids: readonly string[]): Promise<(Row & { readonly is_member: boolean })[]> {
  const shown = sql.join([
    ...columns.map((column) => sql.ref(`host.${column}`)),
    ...times.map((column) => sql`${timestampText(`host.${column}`)} as ${sql.ref(column)}`),
  ])
  const { rows } = await sql<Row & { is_member: boolean }>`
    select one.* from unnest(${ids}::uuid[]) as wanted (id)
    cross join lateral (
      select ${shown}, ${severityCountColumns('host_count')}, false as is_member
      from host
      left join host_count on host_count.account_id = host.account_id and host_count.host_id = host.id
      where host.account_id = ${ctx.workspace} and host.id = wanted.id
      -- One id at a time, because the planner would choose a worse index for a list.
      offset 0
    ) as one
    union all
    select * from (
      select ${shown}, 0, 0, 0, 0, true
      from host
      -- The condition matches the partial index on merged hosts.
      where account_id = ${ctx.workspace} and merged_into = any(${ids}::uuid[]) and merged_into is not null
      order by address::inet
    ) as members`.execute(ctx.tx)
  return rows
}

/**
 * Issue counts in which an issue on several merged hosts counts once. Null if no hosts were merged.
 */
async function countsOf(ctx: Ctx, ids: readonly string[], merged: readonly Row[]) {
  if (merged.length === 0) return null
  const members = [...ids.map((id) => [id, id] as const), ...merged.map((item) => [item.id, item.merged_into] as const)]
  const { rows } = await sql<SeverityCount & { id: string }>`
    select id,
           count(*) filter (where category = 'CATEGORY_CRITICAL')::int as critical,
           count(*) filter (where category = 'CATEGORY_HIGH')::int as high,
           count(*) filter (where category = 'CATEGORY_MEDIUM')::int as medium,
           count(*) filter (where category = 'CATEGORY_LOW')::int as low
    from (
      select distinct member.host_id as id, issue.id as issue_id, issue.category
      from unnest(${members.map(([id]) => id)}::uuid[], ${members.map(([, into]) => into)}::uuid[]) as member (id, host_id)
      join occurrence on occurrence.account_id = ${ctx.workspace} and occurrence.host_id = member.id
      join issue on issue.account_id = ${ctx.workspace} and issue.id = occurrence.issue_id
      where occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')
    ) as active
    group by id`.execute(ctx.tx)
  return new Map(rows.map(({ id, ...count }) => [id, count]))
}
