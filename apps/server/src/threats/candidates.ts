/** Loads threats by product for the matcher. */
import { type Applicability, packCriteria, type PackedThreat, type ProductKey } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import type { ThreatKey, ThreatRow } from '#threats/read.ts'
import { sql } from 'kysely'

/** A threat with its record's criteria for one product. */
export type Candidate = ThreatKey & PackedThreat & Pick<ThreatRow, 'kind'>

/** Products per read: bounds memory while avoiding a round trip per product. */
const productsPerRead = 500

/**
 * Streams the threats of each of these products; the next chunk is read while the current one is
 * processed. Skips threats that aren't effective yet and products without threats.
 *
 * @param keys canonical `vendor:product` keys
 * @param only restricts the threats to these IDs
 */
export async function* threatsOfProducts(
  ctx: Pick<Ctx, 'tx' | 'now'>,
  keys: readonly ProductKey[],
  only?: readonly string[],
): AsyncGenerator<readonly [ProductKey, Candidate[]]> {
  if (only?.length === 0) return
  const parts = Array.from({ length: Math.ceil(keys.length / productsPerRead) }, (_, index) =>
    keys.slice(index * productsPerRead, (index + 1) * productsPerRead),
  )
  const [first, ...more] = parts
  let next = first && readPart(ctx, first, only)
  for (const part of [...more, null]) {
    const byProduct = await next
    next = part ? readPart(ctx, part, only) : undefined
    // A consumer that stops early doesn't await this promise; its rejection must not be unhandled.
    next?.catch(() => undefined)
    yield* byProduct ?? []
  }
}

interface Row extends Omit<Candidate, 'criteria'> {
  readonly product_key: ProductKey
  readonly criteria: string | null
  /** For threats whose criteria weren't packed. */
  readonly record: unknown
}

async function readPart(
  ctx: Pick<Ctx, 'tx' | 'now'>,
  keys: readonly ProductKey[],
  only: readonly string[] | undefined,
): Promise<Map<ProductKey, Candidate[]>> {
  const products = keys.map(splitKey)
  const { rows } = await sql<Row>`
    select threat.id, threat.key, threat.kind, threat.score, threat.category, named.criteria,
           named.vendor || ':' || named.product as product_key,
           case when named.criteria is null then threat.record end as record
    from unnest(${products.map((p) => p.vendor)}::text[], ${products.map((p) => p.product)}::text[]) as wanted (vendor, product)
    join threat_product as named using (vendor, product)
    join threat on threat.id = named.threat_id
    where threat.record is not null and (threat.effective_at is null or threat.effective_at <= ${ctx.now})
      ${only ? sql`and named.threat_id = any(${only}::uuid[])` : sql``}`.execute(ctx.tx)
  const candidates = new Map<ProductKey, Candidate[]>()
  for (const row of rows) {
    const criteria = row.criteria ?? criteriaOf(row.product_key, row.record)
    const threats = candidates.get(row.product_key)
    if (threats) threats.push({ ...row, criteria })
    else candidates.set(row.product_key, [{ ...row, criteria }])
  }
  return candidates
}

function criteriaOf(key: ProductKey, record: unknown): string {
  // Written by packs/drafts.ts as this type.
  return packCriteria(record as Applicability).get(key) ?? '[]'
}

/** Splits a canonical key into vendor and product at its first unquoted colon. */
export function splitKey(key: string): { vendor: string; product: string } {
  const at = /(?<!\\):/.exec(key)?.index ?? key.length
  return { vendor: key.slice(0, at), product: key.slice(at + 1) }
}
