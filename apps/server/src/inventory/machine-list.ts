import type { AgentInventory, AgentPackage } from '@glacis/contract/agent'
import type * as contract from '@glacis/contract/agent'
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type { SeverityCategory } from '@glacis/contract/threat'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage, totalOf } from '#database/page.ts'
import type { PackageThreat } from '#database/tables/inventory.ts'
import { notFound } from '#errors.ts'
import { hostsOfMachine } from '#inventory/machine.ts'
import { sql } from 'kysely'

/** What an agent has reported about its own machine. @throws ApiError `not_found` if there is no such agent */
export async function getAgentInventory(
  ctx: Ctx,
  { id }: ParsedInputOf<typeof contract.getAgentInventory>,
): Promise<{ inventory?: AgentInventory }> {
  await requireAgent(ctx, id)
  const row = await ctx.tx
    .selectFrom('agent_inventory')
    .select(['system', 'release', 'kernel', 'received_at'])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', id)
    .where('is_complete', '=', true)
    .executeTakeFirst()
  if (!row) return {}
  const counts = await ctx.tx
    .selectFrom('agent_package')
    .select([
      sql<number>`count(*)::int`.as('packages'),
      sql<number>`(count(*) filter (where threats <> '[]'))::int`.as('vulnerable'),
    ])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', id)
    .executeTakeFirstOrThrow()
  const sockets = await ctx.tx
    .selectFrom('agent_socket')
    .select(['transport', 'address', 'port', 'process'])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', id)
    .orderBy('port')
    .orderBy('transport')
    .orderBy('address')
    .execute()
  const containers = await ctx.tx
    .selectFrom('agent_container')
    .select(['container_id as id', 'name', 'image', 'image_id as imageId', 'ports'])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', id)
    .orderBy('name')
    .execute()
  const hosts = await hostsOfMachine(ctx, id)
  return {
    inventory: {
      system: row.system,
      kernel: row.kernel,
      isMatched: row.release !== '',
      reportTime: row.received_at.toISOString(),
      packageCount: counts.packages,
      vulnerablePackageCount: counts.vulnerable,
      sockets,
      containers,
      hosts: hosts.map(({ hostId, address }) => ({ id: hostId, address })),
    },
  }
}

interface PackageRow {
  readonly manager: AgentPackage['manager']
  readonly name: string
  readonly version: string
  readonly architecture: string
  readonly source: string
  readonly threats: readonly PackageThreat[]
  readonly score: number
  readonly place: string
}

/**
 * The packages of an agent's machine, the most vulnerable first.
 *
 * @throws ApiError `not_found` if there is no such agent
 */
export async function listAgentPackages(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listAgentPackages>,
): Promise<ResultOf<typeof contract.listAgentPackages>> {
  const { id, filter = {} } = input
  await requireAgent(ctx, id)
  const page = readPage(input, ['packages', id, filter])
  const place = sql<string>`concat_ws(' ', name, architecture, version, manager)`
  let query = ctx.tx
    .selectFrom('agent_package')
    .select(['manager', 'name', 'version', 'architecture', 'source', 'threats', 'score', place.as('place')])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', id)
  if (filter.query) query = query.where('name', 'ilike', `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`)
  const total = page.after ? {} : await totalOf(ctx, query)
  if (page.after) query = query.where(sql<boolean>`(-score, ${place}) > (${page.after[0]}::numeric, ${page.after[1]})`)
  const rows: PackageRow[] = await query
    .orderBy(sql`-score`)
    .orderBy(place)
    .limit(page.size + 1)
    .execute()
  const cut = cutPage(page, rows, (row) => [-row.score, row.place])
  const threats = await threatsOf(ctx, [...new Set(cut.rows.flatMap((row) => row.threats.map(({ key }) => key)))])
  const packages = cut.rows.map(({ manager, name, version, architecture, source, threats: own }) => ({
    manager,
    name,
    version,
    architecture,
    source,
    vulnerabilities: own
      .flatMap(({ key, fixedVersion }) => {
        const threat = threats.get(key)
        return threat ? [{ key, fixedVersion, ...threat }] : []
      })
      .toSorted((a, b) => b.score - a.score),
  }))
  return { packages, nextPageToken: cut.nextPageToken, ...total }
}

interface ShownThreat {
  readonly score: number
  readonly category: SeverityCategory
  readonly issueId?: string
}

async function threatsOf(ctx: Ctx, keys: readonly string[]): Promise<ReadonlyMap<string, ShownThreat>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{ key: string; score: number; category: SeverityCategory; issue_id: string | null }>`
    select threat.key, threat.score, threat.category, issue.id as issue_id
    from threat
    left join issue on issue.account_id = ${ctx.workspace} and issue.threat_id = threat.id
    where threat.key = any(${keys}::text[])`.execute(ctx.tx)
  return new Map(
    rows.map(({ key, score, category, issue_id: issueId }) => [key, { score, category, ...(issueId && { issueId }) }]),
  )
}

async function requireAgent(ctx: Ctx, id: string): Promise<void> {
  const row = await ctx.tx
    .selectFrom('agent')
    .select('id')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('agent', id)
}
