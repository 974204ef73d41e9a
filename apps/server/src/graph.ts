/** The dependency graph of hosts, software, and threats. */
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/insights'
import type { DependencyGraph, GraphNode } from '@glacis/contract/insights'
import type { IssueStatus, StatusFilter } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import type { Ctx } from '#ctx.ts'
import { type RawBuilder, sql } from 'kysely'

type Input = ParsedInputOf<typeof contract.getEcosystem>
type Filter = NonNullable<Input['filter']>

/** Maximum number of threats read; the limit on nodes is reached much earlier. */
const threatsMax = 500
/**
 * Minimum hosts per threat when there are many threats, so that one threat doesn't fill the graph.
 */
const hostsPerThreatMin = 40

interface GraphOccurrence {
  readonly issue_id: string
  readonly host_id: string
  readonly product_id: string | null
}

/**
 * Returns the graph in order of risk: threats by priority, each with affected hosts and software,
 * up to `maxNodes`. A threat is linked to the affected software, or to the host if it affects none;
 * hosts are linked to their software.
 */
export async function ecosystem(ctx: Ctx, { filter = {}, maxNodes }: Input): Promise<DependencyGraph> {
  const targets = await targetsOf(ctx, filter)
  const threats = await threatsOf(ctx, filter, targets)
  const hostsPerThreat = Math.max(hostsPerThreatMin, Math.ceil((2 * maxNodes) / Math.max(1, threats.length)))
  const occurrences = await occurrencesOf(ctx, threats, filter, targets, hostsPerThreat)
  const { ids, links, isCut } = buildNodes(occurrences, maxNodes)
  const isWhole = !isCut && threats.length < threatsMax && !mayBeTruncated(occurrences, hostsPerThreat)
  const shown = { threats: ids.threats.size, hosts: ids.hosts.size, products: ids.products.size }
  const [products, hosts, issues, counted] = await Promise.all([
    productNodes(ctx, ids.products),
    hostNodes(ctx, ids.hosts),
    threatNodes(ctx, ids.threats),
    isWhole ? null : total(ctx, filter, targets, shown),
  ])
  const nodes = [...products, ...hosts, ...issues]
  const totalNodeCount = counted ?? nodes.length
  return { nodes, links, totalNodeCount, totalNodeCountIsExact: isWhole }
}

/** Null for all targets. */
async function targetsOf(ctx: Ctx, { targetId, tagIds }: Filter): Promise<readonly string[] | null> {
  if (!tagIds?.length) return targetId ? [targetId] : null
  const rows = await ctx.tx
    .selectFrom('target_tag')
    .select('target_id')
    .distinct()
    .where('account_id', '=', ctx.workspace)
    .where('tag_id', 'in', tagIds)
    .execute()
  return rows.map((row) => row.target_id).filter((id) => !targetId || id === targetId)
}

const statuses: Readonly<Record<StatusFilter, readonly IssueStatus[]>> = {
  STATUS_FILTER_ALL: ['STATUS_OPEN', 'STATUS_REGRESSION', 'STATUS_RESOLVED', 'STATUS_IGNORED'],
  STATUS_FILTER_OPEN: ['STATUS_OPEN', 'STATUS_REGRESSION'],
  STATUS_FILTER_RESOLVED: ['STATUS_RESOLVED'],
  STATUS_FILTER_IGNORED: ['STATUS_IGNORED'],
}

/** Active statuses, unless the filter specifies others. */
function statusesOf({ status }: Filter): readonly IssueStatus[] {
  return (status?.length ? status : (['STATUS_FILTER_OPEN'] as const)).flatMap((item) => statuses[item])
}

function matching(ctx: Ctx, filter: Filter, targets: readonly string[] | null): RawBuilder<unknown> {
  const parts = [sql`issue.account_id = ${ctx.workspace}`, sql`issue.status = any(${statusesOf(filter)}::text[])`]
  if (filter.verification === 'VERIFICATION_FILTER_VERIFIED')
    parts.push(sql`issue.verification = 'VERIFICATION_VERIFIED'`)
  if (filter.verification === 'VERIFICATION_FILTER_UNVERIFIED')
    parts.push(sql`issue.verification = 'VERIFICATION_UNVERIFIED'`)
  if (filter.severities?.length) parts.push(sql`issue.category = any(${filter.severities}::text[])`)
  if (filter.kev) {
    parts.push(sql`exists (
      select from threat where threat.id = issue.threat_id and threat.known_exploited_at is not null)`)
  }
  if (targets) {
    parts.push(sql`issue.id in (
      select issue_id from issue_target
      where account_id = ${ctx.workspace} and target_id = any(${targets}::uuid[]) and status = any(${statusesOf(filter)}::text[]))`)
  }
  return sql.join(parts, sql` and `)
}

async function threatsOf(ctx: Ctx, filter: Filter, targets: readonly string[] | null): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select issue.id from issue
    where ${matching(ctx, filter, targets)}
    order by issue.priority desc, issue.id desc
    limit ${threatsMax}`.execute(ctx.tx)
  return rows.map((row) => row.id)
}

/** The worst hosts of each threat, in index order. */
async function occurrencesOf(
  ctx: Ctx,
  threats: readonly string[],
  filter: Filter,
  targets: readonly string[] | null,
  hostsPerThreat: number,
): Promise<GraphOccurrence[]> {
  if (threats.length === 0) return []
  const { rows } = await sql<GraphOccurrence>`
    select wanted.issue_id, seen.host_id, seen.product_id
    from unnest(${threats}::uuid[]) with ordinality as wanted (issue_id, place)
    cross join lateral (
      select host_id, product_id from occurrence
      where account_id = ${ctx.workspace} and issue_id = wanted.issue_id
        and status = any(${statusesOf(filter)}::text[])
        and ${targets ? sql`target_id = any(${targets}::uuid[])` : sql`true`}
      limit ${hostsPerThreat}
    ) as seen
    order by wanted.place`.execute(ctx.tx)
  return rows
}

/** Whether a threat has at least the requested number of occurrences, and so possibly more. */
function mayBeTruncated(occurrences: readonly GraphOccurrence[], hostsPerThreat: number): boolean {
  return [...Map.groupBy(occurrences, (item) => item.issue_id).values()].some((group) => group.length >= hostsPerThreat)
}

/** Adds occurrences in order of risk until the limit on nodes is reached. */
function buildNodes(occurrences: readonly GraphOccurrence[], maxNodes: number) {
  const ids = { products: new Set<string>(), hosts: new Set<string>(), threats: new Set<string>() }
  const links = new Map<string, DependencyGraph['links'][number]>()
  const link = (sourceNodeId: string, targetNodeId: string) =>
    links.set(sourceNodeId + targetNodeId, { sourceNodeId, targetNodeId })
  let isCut = false
  for (const { issue_id, host_id, product_id } of occurrences) {
    const more =
      Number(!ids.threats.has(issue_id)) +
      Number(!ids.hosts.has(host_id)) +
      Number(product_id !== null && !ids.products.has(product_id))
    if (ids.products.size + ids.hosts.size + ids.threats.size + more > maxNodes) {
      isCut = true
      continue
    }
    ids.threats.add(issue_id)
    ids.hosts.add(host_id)
    if (product_id === null) link(host_id, issue_id)
    else {
      ids.products.add(product_id)
      link(host_id, product_id)
      link(product_id, issue_id)
    }
  }
  return { ids, links: [...links.values()], isCut }
}

async function productNodes(ctx: Ctx, ids: ReadonlySet<string>): Promise<GraphNode[]> {
  const { rows } = await sql<{ id: string; name: string; version: string }>`
    select id, name, version from product
    where account_id = ${ctx.workspace} and id = any(${[...ids]}::uuid[])`.execute(ctx.tx)
  return rows.map(({ id, name, version }) => ({
    id,
    name: version && !name.endsWith(version) ? `${name} ${version}` : name,
    kind: 'KIND_PRODUCT',
  }))
}

async function hostNodes(ctx: Ctx, ids: ReadonlySet<string>): Promise<GraphNode[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, coalesce(nullif(name, ''), address) as name from host
    where account_id = ${ctx.workspace} and id = any(${[...ids]}::uuid[])`.execute(ctx.tx)
  return rows.map(({ id, name }) => ({ id, name, kind: 'KIND_HOST' }))
}

async function threatNodes(ctx: Ctx, ids: ReadonlySet<string>): Promise<GraphNode[]> {
  const { rows } = await sql<{ id: string; name: string; category: SeverityCategory; exploited: boolean }>`
    select issue.id, case when threat.kind = 'cve' then threat.key else threat.name end as name, issue.category,
           threat.known_exploited_at is not null as exploited
    from issue
    join threat on threat.id = issue.threat_id
    where issue.account_id = ${ctx.workspace} and issue.id = any(${[...ids]}::uuid[])`.execute(ctx.tx)
  return rows.map(({ id, name, category, exploited }) => ({
    id,
    name,
    kind: 'KIND_THREAT',
    severity: category,
    ...(exploited && { knownExploited: true }),
  }))
}

/**
 * The number of nodes without the limit. If the graph was truncated, this is an inexpensive lower
 * bound: all threats, and all hosts if rollups can answer the filter.
 */
async function total(ctx: Ctx, filter: Filter, targets: readonly string[] | null, shown: Shown): Promise<number> {
  const { rows } = await sql<{ threats: number; hosts: number }>`
    select (select count(*)::int from issue where ${matching(ctx, filter, targets)}) as threats,
           (select coalesce(sum(${affected(filter)}), 0)::int from target_count
            where account_id = ${ctx.workspace} and ${targets ? sql`target_id = any(${targets}::uuid[])` : sql`true`}) as hosts`.execute(
    ctx.tx,
  )
  const { threats = 0, hosts = 0 } = rows[0] ?? {}
  const isCounted =
    !filter.severities?.length && !filter.kev && !filter.status?.some((item) => item !== 'STATUS_FILTER_OPEN')
  return Math.max(threats, shown.threats) + (isCounted ? Math.max(hosts, shown.hosts) : shown.hosts) + shown.products
}

interface Shown {
  readonly threats: number
  readonly hosts: number
  readonly products: number
}

function affected({ verification }: Filter): RawBuilder<unknown> {
  if (verification === 'VERIFICATION_FILTER_VERIFIED') return sql`hosts_verified`
  return verification === 'VERIFICATION_FILTER_UNVERIFIED' ? sql`hosts_potential` : sql`hosts`
}
