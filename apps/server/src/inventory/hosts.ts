import type { Host, Product } from '@glacis/contract/inventory'
import type { SeverityCount } from '@glacis/contract/primitives'
import type { Target } from '@glacis/contract/target'
import type { Ctx } from '#ctx.ts'
import { moment, objectOf, severityCount } from '#database/json.ts'
import { noIssues } from '#database/severity.ts'
import { notFound } from '#errors.ts'
import { contents, type FoundService, productsById, toService } from '#inventory/contents.ts'
import { sql } from 'kysely'

/** How a caller turns target ids into targets: the targets room's, handed in because inventory may not open that door. */
export type Targets = (ctx: Ctx, ids: readonly string[]) => Promise<ReadonlyMap<string, Target>>

/** A host; one that was merged into another is that other one. @throws Refusal `not_found` */
export async function getHost(ctx: Ctx, { id }: { id: string }, targets: Targets): Promise<{ host: Host }> {
  const survivor = (await mergedInto(ctx, id)) ?? id
  const host = (await describeHosts(ctx, [survivor], targets)).get(survivor)
  if (!host) throw notFound('host', id)
  return { host }
}

async function mergedInto(ctx: Ctx, id: string): Promise<string | null> {
  const row = await ctx.tx
    .selectFrom('host')
    .select('merged_into')
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.merged_into ?? null
}

/** A host in the words of the contract, and beside it what shows where it stands. */
interface Row {
  readonly id: string
  readonly target_id: string
  readonly merged_into: string | null
  readonly known: Host
  readonly services: readonly FoundService[]
  /** Software as ids and ports, by name. */
  readonly software: readonly (readonly [productId: string, port: number])[]
}

/**
 * The hosts of these ids as the contract shows them, in a fixed number of statements. A host shows
 * the services, software and issues of those that were merged into it too. Where hosts stand beside
 * something else, `isBrief` leaves out target, services and software.
 */
export async function describeHosts(
  ctx: Ctx,
  ids: readonly string[],
  targets: Targets,
  { isBrief = false }: { readonly isBrief?: boolean } = {},
): Promise<ReadonlyMap<string, Host>> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return new Map()
  const group = await withMerged(ctx, wanted, isBrief)
  const isAsked = new Set(wanted)
  const rows = group.filter((row) => isAsked.has(row.id))
  const merged = group.filter((row) => row.merged_into !== null && isAsked.has(row.merged_into))
  const [counts, described, products] = await Promise.all([
    countsOf(ctx, wanted, merged),
    targets(ctx, isBrief ? [] : rows.map((row) => row.target_id)),
    productsById(
      ctx,
      group.flatMap(({ software }) => software.map(([id]) => id)),
    ),
  ])
  return new Map(
    rows.map((row) => {
      const target = described.get(row.target_id)
      const others = merged.filter((one) => one.merged_into === row.id)
      const host: Host = {
        ...row.known,
        ...(target && { target }),
        services: row.services.map(toService),
        inventory: inventoryOf(row, products),
        ...(others.length > 0 && together(row, others, products)),
        ...(merged.length > 0 && { issueCount: counts.get(row.id) ?? noIssues }),
      }
      return [row.id, host]
    }),
  )
}

function inventoryOf({ software }: Row, products: ReadonlyMap<string, Product>): Host['inventory'] {
  return software.flatMap(([id, port]) => {
    const product = products.get(id)
    return product ? [{ wfn: product.wfn, port, product }] : []
  })
}

/** What a host shows otherwise because others were merged into it. */
function together(row: Row, others: readonly Row[], products: ReadonlyMap<string, Product>): Partial<Host> {
  const group = [row, ...others]
  return {
    inventory: group.flatMap((one) => inventoryOf(one, products)),
    services: group.flatMap(({ services, known: { address } }) =>
      services.map((one) => ({ ...toService(one), address })),
    ),
    lastCheckTime: latest(group.map((one) => one.known.lastCheckTime)),
    lastSeenTime: latest(group.map((one) => one.known.lastSeenTime)),
    merged: others.map(({ id, known, target_id: targetId }) => ({ id, address: known.address, targetId })),
  }
}

/** Moments of one form sort as texts do. */
function latest(times: readonly (string | undefined)[]): string {
  return times.reduce<string>((last, time = '') => (time > last ? time : last), '')
}

/** These hosts and those that were merged into them, the latter by address. */
async function withMerged(ctx: Ctx, ids: readonly string[], isBrief: boolean): Promise<readonly Row[]> {
  const { rows } = await sql<Row & { readonly name: string | null }>`
    with found as (
      select *, null as place from host
      where account_id = ${ctx.account} and id = any(${ids}::uuid[])
      union all
      -- The index holds those that were merged alone, and is used only where that is said.
      select *, address::inet from host
      where account_id = ${ctx.account} and merged_into = any(${ids}::uuid[]) and merged_into is not null
    )
    select host.id, host.target_id, host.merged_into, nullif(host.name, '') as name, ${known} as known,
           ${isBrief ? nothing : contents(ctx)}
    from found as host
    left join host_count on host_count.account_id = ${ctx.account} and host_count.host_id = host.id
    order by host.place`.execute(ctx.tx)
  return rows.map(({ name, ...row }) => (name === null ? row : { ...row, known: { ...row.known, name } }))
}

const known = objectOf({
  id: sql`host.id`,
  address: sql`host.address`,
  issueCount: severityCount,
  createTime: moment(sql`host.first_seen_at`),
  updateTime: moment(sql`host.updated_at`),
  lastCheckTime: moment(sql`host.last_checked_at`),
  lastSeenTime: moment(sql`host.last_seen_at`),
  owner: sql`host.owner`,
  criticality: sql`host.criticality`,
  notes: sql`host.notes`,
})
const nothing = sql`'[]'::json as services, '[]'::json as software`

/** An issue on a host and on one that was merged into it counts once. */
async function countsOf(ctx: Ctx, ids: readonly string[], merged: readonly Row[]) {
  if (merged.length === 0) return new Map<string, SeverityCount>()
  const members = [...ids.map((id) => [id, id] as const), ...merged.map((one) => [one.id, one.merged_into] as const)]
  const { rows } = await sql<SeverityCount & { id: string }>`
    select id,
           count(*) filter (where category = 'CATEGORY_CRITICAL')::int as critical,
           count(*) filter (where category = 'CATEGORY_HIGH')::int as high,
           count(*) filter (where category = 'CATEGORY_MEDIUM')::int as medium,
           count(*) filter (where category = 'CATEGORY_LOW')::int as low
    from (
      select distinct member.host_id as id, issue.id as issue_id, issue.category
      from unnest(${members.map(([one]) => one)}::uuid[], ${members.map(([, into]) => into)}::uuid[]) as member (id, host_id)
      join occurrence on occurrence.account_id = ${ctx.account} and occurrence.host_id = member.id
      join issue on issue.account_id = ${ctx.account} and issue.id = occurrence.issue_id
      where occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')
    ) as active
    group by id`.execute(ctx.tx)
  return new Map(rows.map(({ id, ...count }) => [id, count]))
}
