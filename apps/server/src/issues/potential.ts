import type { Wfn } from '@glacis/contract/inventory'
import {
  fromWfn,
  issueQualityMin,
  type Knowledge,
  type Match,
  matchProduct,
  type MatchSubject,
  productKey,
  ThreatRecord,
} from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import type { Finding } from '#issues/raise.ts'
import { splitKey, threatsOfProducts, type ThreatRow } from '#threats.ts'

interface Installed extends MatchSubject {
  readonly hostId: string
  readonly port: number
  readonly name: string
  readonly wfn: Wfn
  readonly evidence: string
}

/**
 * Threats that the software on these hosts is open to, as far as its versions and the fixes of
 * distributions can tell. What is less than a hint is left out.
 */
export async function matchInventory(
  ctx: Ctx,
  targetId: string,
  hostIds: readonly string[],
  knowledge: Knowledge,
): Promise<Finding[]> {
  const installed = await installedOn(ctx, hostIds)
  const candidates = await candidatesFor(ctx, installed)
  const byHost = Map.groupBy(installed, (one) => one.hostId)
  return installed.flatMap((one) => {
    const rows = candidates.get(keyOf(one.wfn) ?? '') ?? []
    return rows.flatMap(({ row, record }) => {
      const match = matchProduct(one, record, byHost.get(one.hostId) ?? [], knowledge)
      return match.kind === 'match' && match.quality >= issueQualityMin ? toFinding(targetId, one, row, match) : []
    })
  })
}

async function installedOn(ctx: Ctx, hostIds: readonly string[]): Promise<Installed[]> {
  if (hostIds.length === 0) return []
  const rows = await ctx.tx
    .selectFrom('host_product')
    .innerJoin('product', (join) =>
      join
        .onRef('product.account_id', '=', 'host_product.account_id')
        .onRef('product.id', '=', 'host_product.product_id'),
    )
    .select([
      'host_product.host_id',
      'host_product.port',
      'host_product.revision',
      'host_product.quality',
      'host_product.evidence',
      'product.name',
      'product.wfn',
    ])
    .where('host_product.account_id', '=', ctx.account)
    .where('host_product.host_id', 'in', hostIds)
    .where('host_product.gone_at', 'is', null)
    .execute()
  return rows.map((row) => ({
    hostId: row.host_id,
    port: row.port,
    name: row.name,
    wfn: row.wfn,
    evidence: row.evidence,
    quality: row.quality,
    ...(row.revision && { revision: row.revision }),
  }))
}

/** `vendor:product` as it was recognised. */
export function nameOf(wfn: Wfn): string {
  return `${wfn.vendor}:${wfn.product}`
}

/** The canonical `vendor:product` key of a name, for the index of threats; null when it has none. */
function keyOf(wfn: Wfn): string | null {
  const name = fromWfn(wfn)
  return name && productKey(name)
}

/** Threat records by the key of the product they are about. */
async function candidatesFor(
  ctx: Ctx,
  installed: readonly Installed[],
): Promise<ReadonlyMap<string, { row: ThreatRow; record: ThreatRecord }[]>> {
  const keys = [...new Set(installed.flatMap((one) => keyOf(one.wfn) ?? []))]
  const names = keys.map(splitKey)
  const found = new Map<string, { row: ThreatRow; record: ThreatRecord }[]>()
  for (const row of await threatsOfProducts(ctx, names)) {
    const record = ThreatRecord.parse(row.record)
    for (const key of row.product_keys) found.set(key, [...(found.get(key) ?? []), { row, record }])
  }
  return found
}

function toFinding(targetId: string, one: Installed, threat: ThreatRow, match: Match): Finding {
  const location = `${one.port} ${nameOf(one.wfn)}`
  const text = [one.evidence, match.evidence.text].filter(Boolean).join('\n')
  return {
    threat,
    hostId: one.hostId,
    targetId,
    location,
    port: one.port,
    method: 'version',
    quality: match.quality,
    evidence: {
      location,
      port: one.port,
      method: 'version',
      quality: match.quality,
      text,
      highlights: [one.wfn.version].filter((version) => version && version !== '*' && version !== '-'),
    },
  }
}
