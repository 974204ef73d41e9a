/** Version matching: compares the inventory with known threats after a scan or a feed update. */
import type { Wfn } from '@glacis/contract/product'
import {
  type DistributionFix,
  fromWfn,
  type Hit,
  issueQualityMin,
  type Knowledge,
  type Match,
  matchProduct,
  type MatchSubject,
  packageOfProduct,
  type Prepared,
  prepareThreats,
  type ProductKey,
  productKey,
} from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { type HostPackages, packagesOnHosts } from '#inventory/index.ts'
import type { Finding } from '#issues/raise.ts'
import { type Candidate, threatsOfProducts } from '#threats/index.ts'
import { sql } from 'kysely'

/** Software on a port of a host. */
export interface Installed extends MatchSubject {
  readonly hostId: string
  readonly targetId: string
  readonly productId: string
  readonly port: number
  readonly name: string
  readonly wfn: Wfn
  readonly evidence: string
}

/** A potential finding and the product it is about. */
export interface Inferred {
  readonly finding: Finding
  readonly productId: string
}

/**
 * Threats to the software on these hosts, inferred from versions and distribution fixes. Weak
 * matches are dropped.
 */
export async function matchInventory(
  ctx: Ctx,
  targetId: string,
  hostIds: readonly string[],
  knowledge: Knowledge,
): Promise<Finding[]> {
  const installed = await installedOn(ctx, sql`host_product.host_id = any(${hostIds}::uuid[])`)
  const inferred = await infer(ctx, installed, installed, knowledge)
  return inferred.map(({ finding }) => ({ ...finding, targetId }))
}

/**
 * Matches software against all known threats, or against some.
 *
 * @param surroundings all software of the same hosts, for threats that depend on the platform
 * @param only IDs of the threats to match
 */
export async function infer(
  ctx: Ctx,
  installed: readonly Installed[],
  surroundings: readonly Installed[],
  knowledge: Knowledge,
  only?: readonly string[],
): Promise<Inferred[]> {
  const byKey = Map.groupBy(installed, (item) => keyOf(item.wfn))
  const keys = [...byKey.keys()].filter((key) => key !== null)
  const byHost = Map.groupBy(surroundings, (item) => item.hostId)
  const inferred: Inferred[] = []
  for await (const [key, threats] of threatsOfProducts(ctx, keys, only)) {
    const prepared = prepareThreats(key, threats)
    const pairs = pairsOf(prepared, byKey.get(key) ?? [], byHost)
    const known = await withFixes(ctx, pairs, knowledge)
    const decided = new Map<string, Match | null>()
    for (const { software, hit } of pairs) {
      const match = decide({ software, hit }, prepared, byHost.get(software.hostId) ?? [], known, decided)
      if (match) inferred.push({ finding: toFinding(software, hit.threat, match), productId: software.productId })
    }
  }
  return inferred
}

interface Pair {
  readonly software: Installed
  readonly hit: Hit<Candidate>
}

/**
 * Matching threats per version. Thousands of hosts run the same version, so each is matched once
 * unless the host matters.
 */
function pairsOf(
  prepared: Prepared<Candidate>,
  installed: readonly Installed[],
  byHost: ReadonlyMap<string, readonly Installed[]>,
): Pair[] {
  const byVersion = new Map<string, readonly Hit<Candidate>[]>()
  return installed.flatMap((item) => {
    const version = `${item.quality} ${item.wfn.text}`
    const result = byVersion.get(version) ?? prepared.matchAlone(item)
    byVersion.set(version, result)
    return [...result, ...prepared.matchAmong(item, byHost.get(item.hostId) ?? [])].flatMap((hit) =>
      // Distributions keep patching releases that upstream no longer supports.
      hit.quality < issueQualityMin || (hit.threat.kind === 'lifecycle' && (item.revision || item.package))
        ? []
        : { software: item, hit },
    )
  })
}

/** Distribution fixes for these CVEs only: a tracker lists a hundred thousand. */
async function withFixes(ctx: Ctx, pairs: readonly Pair[], knowledge: Knowledge): Promise<Knowledge> {
  const keys = [
    ...new Set(pairs.filter(({ software }) => software.revision || software.package).map(({ hit }) => hit.threat.key)),
  ]
  if (keys.length === 0) return knowledge
  const rows = await ctx.tx
    .selectFrom('distribution_fix')
    .selectAll()
    .where('product', '<>', '')
    .where((where) => where('key', '=', where.fn.any(where.val(keys))))
    .execute()
  if (rows.length === 0) return knowledge
  const fixes = new Map<string, readonly DistributionFix[]>(knowledge.distributionFixes)
  for (const { key, fixed_version: fixedVersion, ...fix } of rows) {
    fixes.set(key, [...(fixes.get(key) ?? []), { ...fix, fixedVersion }])
  }
  return { distributionFixes: fixes }
}

/** Caches the result per version and build, unless the record depends on the platform. */
function decide(
  { software, hit }: Pair,
  prepared: Prepared<Candidate>,
  host: readonly Installed[],
  knowledge: Knowledge,
  decided: Map<string, Match | null>,
): Match | null {
  const key = hit.condition
    ? ''
    : JSON.stringify([hit.threat.id, software.wfn.text, software.revision, software.quality, software.package])
  const decision = decided.get(key)
  if (decision !== undefined) return decision
  const match = matchProduct(software, prepared.criteriaOf(hit), host, knowledge)
  const accepted = match.kind === 'match' && match.quality >= issueQualityMin ? match : null
  if (!hit.condition) decided.set(key, accepted)
  return accepted
}

/**
 * Currently installed software for which `condition` holds, on `host_product`, `product`, or `host`;
 * without deleted targets.
 */
export async function installedOn(ctx: Ctx, condition: ReturnType<typeof sql>): Promise<Installed[]> {
  const { rows } = await sql<{
    host_id: string
    target_id: string
    product_id: string
    port: number
    revision: string
    quality: number
    evidence: string
    name: string
    wfn: Wfn
  }>`
    select host_product.host_id, host.target_id, host_product.product_id, host_product.port, host_product.revision,
           host_product.quality, host_product.evidence, product.name, product.wfn
    from host_product
    join product on product.account_id = host_product.account_id and product.id = host_product.product_id
    join host on host.account_id = host_product.account_id and host.id = host_product.host_id
    join target on target.account_id = host.account_id and target.id = host.target_id and target.deleted_at is null
    where host_product.account_id = ${ctx.workspace} and host_product.gone_at is null and ${condition}`.execute(ctx.tx)
  const inside = await packagesOnHosts(ctx, [...new Set(rows.map((row) => row.host_id))])
  return rows.map((row) => ({
    hostId: row.host_id,
    targetId: row.target_id,
    productId: row.product_id,
    port: row.port,
    name: row.name,
    wfn: row.wfn,
    evidence: row.evidence,
    quality: row.quality,
    ...(row.revision && { revision: row.revision }),
    ...packageOf(row, inside.get(row.host_id)),
  }))
}

/** The package that contains software on a port, if the inventory of its host proves which one. */
function packageOf(
  { wfn, port }: Pick<Installed, 'wfn' | 'port'>,
  inside: HostPackages | undefined,
): Pick<Installed, 'package'> {
  const found = inside && !inside.containerPorts.has(port) ? packageOfProduct(wfn, inside.packages) : undefined
  return found ? { package: found } : {}
}

/** The recognized `vendor:product`. */
export function nameOf(wfn: Wfn): string {
  return `${wfn.vendor}:${wfn.product}`
}

/** The canonical `vendor:product` key for the threat index; null if the name has none. */
function keyOf(wfn: Wfn): ProductKey | null {
  const name = fromWfn(wfn)
  return name && productKey(name)
}

function toFinding(item: Installed, threat: Candidate, match: Match): Finding {
  const location = `${item.port} ${nameOf(item.wfn)}`
  const text = [item.evidence, match.evidence.text].filter(Boolean).join('\n')
  const { id, key, score, category } = threat
  return {
    threat: { id, key, score, category },
    hostId: item.hostId,
    targetId: item.targetId,
    location,
    port: item.port,
    productId: item.productId,
    method: 'version',
    quality: match.quality,
    evidence: {
      location,
      port: item.port,
      method: 'version',
      quality: match.quality,
      text,
      highlights: [item.wfn.version].filter((version) => version && version !== '*' && version !== '-'),
    },
  }
}
