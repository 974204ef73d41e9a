/** Matches the packages of an agent's machine against the advisories of its distribution. */
import { containsFix, evaluatePackage, type InstalledPackage } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import type { PackageThreat } from '#database/tables/inventory.ts'
import { sql } from 'kysely'

/** An installed package without the fix of a CVE. */
export interface VulnerablePackage {
  readonly threat: { readonly id: string; readonly key: string; readonly score: number; readonly category: string }
  readonly package: InstalledPackage
  readonly fixedVersion: string
}

interface PackageRow extends InstalledPackage {
  readonly manager: string
  readonly architecture: string
  readonly threats: readonly PackageThreat[]
}

interface FixRow {
  readonly id: string
  readonly key: string
  readonly score: number
  readonly category: string
  readonly package: string
  readonly product: string
  readonly release: string
  readonly origin: string
  readonly fixedVersion: string
}

/**
 * Writes which packages lack a fix that the distribution has published. Weaknesses without a fixed version are not
 * included: an upgrade can't resolve them.
 *
 * @param only IDs of the threats to match; absent for all
 * @returns null if the agent has no complete inventory
 */
export async function refreshPackageThreats(
  ctx: Ctx,
  agentId: string,
  only?: readonly string[],
): Promise<VulnerablePackage[] | null> {
  const inventory = await ctx.tx
    .selectFrom('agent_inventory')
    .select(['release', 'kernel', 'system'])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', agentId)
    .where('is_complete', '=', true)
    .executeTakeFirst()
  if (!inventory) return null
  if (inventory.release === '') return []
  const { rows } = await sql<PackageRow>`
    select manager, name, version, architecture, source, source_version as "sourceVersion", threats,
      ${inventory.release}::text as release
    from agent_package where account_id = ${ctx.workspace} and agent_id = ${agentId}
    order by name, version`.execute(ctx.tx)
  const installed = rows.flatMap((row) => {
    const effective = effectivePackage(row, inventory.kernel)
    return effective ? { row, effective } : []
  })
  const names = [...new Set(installed.flatMap(({ effective }) => [effective.source, effective.name]))]
  const fixes = Map.groupBy(await fixesOf(ctx, inventory.release, names, only), (fix) => fix.package)
  const found = installed.map(({ row, effective }) => ({
    row,
    vulnerable: unfixedThreats(
      effective,
      ownAdvisories(
        inventory.system,
        [...new Set([effective.source, effective.name])].flatMap((name) => fixes.get(name) ?? []),
      ),
    ),
  }))
  await writeThreats(ctx, agentId, found, only && new Set(await keysOf(ctx, only)))
  return found.flatMap(({ vulnerable }) => vulnerable)
}

async function fixesOf(
  ctx: Ctx,
  release: string,
  names: readonly string[],
  only: readonly string[] | undefined,
): Promise<FixRow[]> {
  const { rows } = await sql<FixRow>`
    select threat.id, threat.key, threat.score, threat.category, fix.package, fix.product, fix.release, fix.origin,
      fix.fixed_version as "fixedVersion"
    from distribution_fix as fix join threat on threat.key = fix.key
    where fix.release = ${release} and fix.package = any(${names}::text[]) and fix.fixed_version not in ('', '0')
      ${only ? sql`and threat.id = any(${only}::uuid[])` : sql``}`.execute(ctx.tx)
  return rows
}

async function keysOf(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`select key from threat where id = any(${ids}::uuid[])`.execute(ctx.tx)
  return rows.map((row) => row.key)
}

/** The CVEs whose fix a package lacks, with the first version that contains all fixes. */
function unfixedThreats(installed: InstalledPackage, fixes: readonly FixRow[]): VulnerablePackage[] {
  return [...Map.groupBy(fixes, (fix) => fix.key).values()].flatMap((ofThreat) => {
    if (evaluatePackage(installed, ofThreat) !== 'not_fixed') return []
    const missing = ofThreat.filter((fix) => !containsFix(installed, fix))
    const [first] = missing
    if (!first) return []
    const { id, key, score, category, fixedVersion } = first
    return { threat: { id, key, score, category }, package: installed, fixedVersion }
  })
}

const advisoriesOfSystem: readonly (readonly [RegExp, string])[] = [
  [/^Rocky/, 'RL'],
  [/^Alma/, 'AL'],
  [/^(?:Red Hat|CentOS)/, 'RH'],
]

/** Rebuilds of Enterprise Linux differ in their revisions, so the advisory of the machine's own vendor is preferred. */
export function ownAdvisories(system: string, fixes: readonly FixRow[]): readonly FixRow[] {
  const prefix = advisoriesOfSystem.find(([pattern]) => pattern.test(system))?.[1]
  if (prefix === undefined) return fixes
  const isOwn = ({ origin }: FixRow) => origin.startsWith(prefix)
  const known = new Set(fixes.filter(isOwn).map(({ key }) => key))
  return fixes.filter((fix) => isOwn(fix) || !known.has(fix.key))
}

const kernelFlavors = 'aws|azure|gcp|gke|hwe|ibm|kvm|lowlatency|nvidia|oem|oracle|raspi|realtime|riscv'
const kernelSource = new RegExp(String.raw`^linux(?:-(?:\d.*|(?:signed|${kernelFlavors})(?:-.*)?))?$`)
const kernelCores = new Set(['kernel', 'kernel-core', 'kernel-rt-core', 'kernel-uek-core'])

/**
 * The package as advisories name it; null for kernels that aren't running and for their headers and tools. Signed kernels
 * have a source package of their own.
 */
export function effectivePackage<
  T extends InstalledPackage & { readonly manager: string; readonly architecture: string },
>(installed: T, kernel: string): T | null {
  const { manager, name, version, architecture, source } = installed
  if (manager === 'rpm' && /^kernel(?:-rt|-uek)?$/.test(source))
    return kernelCores.has(name) && `${version}.${architecture}` === kernel ? installed : null
  const isKernel = manager === 'dpkg' && (name.startsWith('linux-image-') || kernelSource.test(source))
  if (!isKernel) return installed
  if (name !== `linux-image-${kernel}` && name !== `linux-image-unsigned-${kernel}`) return null
  const plain = source.replace(/^linux-signed(?:-(?:amd64|arm64|i386))?/, 'linux')
  return plain === source ? installed : { ...installed, source: plain, sourceVersion: version }
}

async function writeThreats(
  ctx: Ctx,
  agentId: string,
  found: readonly { readonly row: PackageRow; readonly vulnerable: readonly VulnerablePackage[] }[],
  only: ReadonlySet<string> | undefined,
): Promise<void> {
  const changed = found.flatMap(({ row, vulnerable }) => {
    const kept = only ? row.threats.filter(({ key }) => !only.has(key)) : []
    const threats = [...kept, ...vulnerable.map(({ threat, fixedVersion }) => ({ key: threat.key, fixedVersion }))]
    threats.sort((a, b) => (a.key < b.key ? -1 : 1))
    if (JSON.stringify(threats) === JSON.stringify(row.threats)) return []
    const { manager, name, architecture, version } = row
    return { manager, name, architecture, version, threats }
  })
  if (changed.length === 0) return
  await sql`
    update agent_package as own set threats = item.threats,
      score = coalesce((
        select max(threat.score) from jsonb_to_recordset(item.threats) as one (key text)
        join threat on threat.key = one.key), 0)
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as item
      (manager text, name text, architecture text, version text, threats jsonb)
    where own.account_id = ${ctx.workspace} and own.agent_id = ${agentId} and own.manager = item.manager
      and own.name = item.name and own.architecture = item.architecture and own.version = item.version`.execute(ctx.tx)
}
