/** Potential issues from the packages that agents report about their own machines. */
import type { Knowledge } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import {
  hostsOfMachine,
  machineHostRows,
  type MachineHost,
  machinesAmong,
  refreshPackageThreats,
  type VulnerablePackage,
} from '#inventory/index.ts'
import { rollUpRaised } from '#issues/incremental-rollup.ts'
import { infer, type Installed, installedOn, nameOf } from '#issues/potential.ts'
import { type Finding, raise } from '#issues/raise.ts'
import { markResolved } from '#issues/resolve-unseen.ts'
import { rollUp } from '#issues/rollup.ts'
import { sql } from 'kysely'

/** The package manager's version is exact, and so are advisories; only configuration can prevent exploitation. */
const packageQuality = 97

/**
 * Raises an issue for each fix that the machine's packages lack, on all of its hosts, and resolves those that they
 * contain now. Issues that were inferred from the version of software on a port are resolved too, if the package of that
 * software contains the fix.
 *
 * @param only IDs of the threats to match; absent for all
 */
export async function assessMachine(
  ctx: Ctx,
  agentId: string,
  knowledge: Knowledge,
  only?: readonly string[],
): Promise<void> {
  const vulnerable = await refreshPackageThreats(ctx, agentId, only)
  if (!vulnerable) return
  const hosts = await hostsOfMachine(ctx, agentId)
  const hostIds = hosts.map(({ hostId }) => hostId)
  const installed = await installedOn(ctx, sql`host_product.host_id = any(${hostIds}::uuid[])`)
  const inferred = await infer(ctx, installed, installed, knowledge, only)
  const findings = [...hosts.flatMap((host) => findingsOn(host, vulnerable)), ...inferred.map(({ finding }) => finding)]
  const abandoned = await abandonedHosts(ctx)
  const all = [...new Set([...hostIds, ...abandoned])]
  const raised = await raise(ctx, findings, all)
  const resolved = await resolveDisproved(ctx, { agentId, findings, installed, hostIds, abandoned, only })
  for (const [reason, group] of Map.groupBy(resolved, (row) => row.reason))
    await rollUp(
      ctx,
      group.map((row) => row.issueId),
      { reason, scanId: null },
      all,
    )
  const isResolvedHere = new Set(resolved.map((row) => row.issueId))
  await rollUpRaised(
    ctx,
    raised.filter((row) => !isResolvedHere.has(row.issueId)),
    { reason: '', scanId: null },
    all,
  )
}

/** Does the same for machines found by a scan, because new hosts have no package issues yet. */
export async function assessMachinesOn(ctx: Ctx, hostIds: readonly string[], knowledge: Knowledge): Promise<void> {
  const machines = await machinesAmong(ctx, hostIds)
  for (const agentId of new Set(machines.map((machine) => machine.agentId)))
    await assessMachine(ctx, agentId, knowledge)
}

/** Does the same for machines with packages that these threats affect. */
export async function assessMachinesOf(ctx: Ctx, threatIds: readonly string[], knowledge: Knowledge): Promise<void> {
  const { rows } = await sql<{ agent_id: string }>`
    select distinct agent_package.agent_id
    from threat
    join distribution_fix on distribution_fix.key = threat.key
    join agent_package on agent_package.account_id = ${ctx.workspace}
      and distribution_fix.package in (agent_package.source, agent_package.name)
    where threat.id = any(${threatIds}::uuid[])
    union
    -- The last statement about a threat may have been withdrawn.
    select machine.agent_id
    from (${machineHostRows(ctx)}) as machine
    join occurrence on occurrence.account_id = ${ctx.workspace} and occurrence.host_id = machine.host_id
      and occurrence.method = 'package'
    join issue on issue.account_id = occurrence.account_id and issue.id = occurrence.issue_id
      and issue.threat_id = any(${threatIds}::uuid[])`.execute(ctx.tx)
  for (const row of rows) await assessMachine(ctx, row.agent_id, knowledge, threatIds)
}

/** Resolves package issues on hosts whose agent no longer reports them. */
export async function resolveAbandoned(ctx: Ctx): Promise<void> {
  const abandoned = await abandonedHosts(ctx)
  if (abandoned.length === 0) return
  await raise(ctx, [], abandoned)
  const rows = await activeOn(ctx, abandoned)
  const packages = rows.filter((row) => row.method === 'package')
  await markResolved(
    ctx,
    packages.map((row) => row.id),
  )
  await rollUp(
    ctx,
    packages.map((row) => row.issueId),
    { reason: noLongerReported, scanId: null },
    abandoned,
  )
}

const noLongerReported = 'The packages of this host are no longer reported by an agent'

/** Hosts with active package issues that no inventory covers. */
async function abandonedHosts(ctx: Ctx): Promise<string[]> {
  const { rows } = await sql<{ host_id: string }>`
    select distinct occurrence.host_id
    from occurrence
    where occurrence.account_id = ${ctx.workspace} and occurrence.method = 'package'
      and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')
      and occurrence.host_id not in (select machine.host_id from (${machineHostRows(ctx)}) as machine)`.execute(ctx.tx)
  return rows.map((row) => row.host_id)
}

/** One finding per threat and source package. */
function findingsOn(host: MachineHost, vulnerable: readonly VulnerablePackage[]): Finding[] {
  const bySource = Map.groupBy(vulnerable, (item) => JSON.stringify([item.threat.id, item.package.source]))
  return [...bySource.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { threat, package: installed, fixedVersion } = first
    const location = locationOf(installed.source)
    const names = [...new Set(group.map((item) => item.package.name))]
    const what = `Package${names.length > 1 ? 's' : ''} ${names.join(', ')} ${installed.version}`
    return {
      threat: threat as Finding['threat'], // read from the columns of `threat`
      hostId: host.hostId,
      targetId: host.targetId,
      location,
      port: null,
      method: 'package',
      quality: packageQuality,
      evidence: {
        location,
        method: 'package',
        quality: packageQuality,
        text: `${what}, fixed in ${fixedVersion}`,
        highlights: [installed.version],
      },
    }
  })
}

const locationOf = (source: string) => `package ${source}`

interface ActiveRow {
  readonly id: string
  readonly issueId: string
  readonly hostId: string
  readonly threatId: string
  readonly location: string
  readonly method: string
  /** The version of the package when it was raised. */
  readonly version: string | null
}

async function activeOn(ctx: Ctx, hostIds: readonly string[], only?: readonly string[]): Promise<ActiveRow[]> {
  const { rows } = await sql<ActiveRow>`
    select occurrence.id, occurrence.issue_id as "issueId", occurrence.host_id as "hostId", issue.threat_id as "threatId",
      occurrence.location, occurrence.method, occurrence.evidence -> 'highlights' ->> 0 as version
    from occurrence
    join issue on issue.account_id = occurrence.account_id and issue.id = occurrence.issue_id
    where occurrence.account_id = ${ctx.workspace} and occurrence.host_id = any(${hostIds}::uuid[])
      and occurrence.method in ('version', 'package') and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')
      ${only ? sql`and issue.threat_id = any(${only}::uuid[])` : sql``}
    order by issue.id
    for update of occurrence`.execute(ctx.tx)
  return rows
}

interface Assessed {
  readonly agentId: string
  readonly findings: readonly Finding[]
  readonly installed: readonly Installed[]
  readonly hostIds: readonly string[]
  readonly abandoned: readonly string[]
  readonly only: readonly string[] | undefined
}

/** Resolves what was not found again, with the reason. */
async function resolveDisproved(
  ctx: Ctx,
  { agentId, findings, installed, hostIds, abandoned, only }: Assessed,
): Promise<{ readonly issueId: string; readonly reason: string }[]> {
  const found = new Set(findings.map((item) => keyOf(item.threat.id, item.hostId, item.location)))
  const [ofAbandoned, active] = [
    await activeOn(ctx, abandoned),
    (await activeOn(ctx, hostIds, only)).filter((row) => !found.has(keyOf(row.threatId, row.hostId, row.location))),
  ]
  const versions = await versionsOf(ctx, agentId)
  const packages = new Map<string, NonNullable<Installed['package']>>(
    installed.flatMap((item) =>
      item.package ? [[`${item.hostId} ${item.port} ${nameOf(item.wfn)}`, item.package] as const] : [],
    ),
  )
  const resolved = [
    ...ofAbandoned.flatMap((row) => (row.method === 'package' ? [{ ...row, reason: noLongerReported }] : [])),
    ...active.flatMap((row) => {
      if (row.method === 'package') return [{ ...row, reason: reasonOf(row, versions) }]
      const own = packages.get(`${row.hostId} ${row.location}`)
      return own ? [{ ...row, reason: `Package ${own.name} ${own.version} includes the distribution's fix` }] : []
    }),
  ]
  await markResolved(
    ctx,
    resolved.map((row) => row.id),
  )
  return resolved
}

const keyOf = (...parts: readonly string[]) => JSON.stringify(parts)

/** Versions by location. */
async function versionsOf(ctx: Ctx, agentId: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await ctx.tx
    .selectFrom('agent_package')
    .select(['source', 'version'])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', agentId)
    .execute()
  const groups = Map.groupBy(rows, (row) => locationOf(row.source))
  return new Map([...groups].map(([location, group]) => [location, group.map((row) => row.version)]))
}

function reasonOf(row: ActiveRow, versions: ReadonlyMap<string, readonly string[]>): string {
  const current = versions.get(row.location)
  const name = row.location.replace(/^package /, '')
  if (!current) return `Package ${name} was removed`
  if (row.version !== null && current.includes(row.version)) return `The advisory for package ${name} changed`
  return `Package ${name} was upgraded to ${current[0] ?? ''}`
}
