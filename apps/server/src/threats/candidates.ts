/** The threats that name a product, as the matcher reads them. */
import { type Applicability, packCriteria, type PackedThreat, type ProductKey } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import type { ThreatKey, ThreatRow } from '#threats/read.ts'
import { sql } from 'kysely'

/** A threat with what its record says of one product. */
export type Candidate = ThreatKey & PackedThreat & Pick<ThreatRow, 'kind'>

/** Products that are read at once: few enough for memory, and enough that nobody waits for each. */
const portion = 500

/**
 * The threats that name each of these products, product by product; the next ones are read while
 * these are looked at. What does not hold yet is left out, and so is a product that no threat names.
 *
 * @param keys canonical `vendor:product` keys
 * @param only restricts the threats to these ids
 */
export async function* threatsOfProducts(
  ctx: Pick<Ctx, 'tx' | 'now'>,
  keys: readonly ProductKey[],
  only?: readonly string[],
): AsyncGenerator<readonly [ProductKey, Candidate[]]> {
  if (only?.length === 0) return
  const parts = Array.from({ length: Math.ceil(keys.length / portion) }, (_, index) =>
    keys.slice(index * portion, (index + 1) * portion),
  )
  const [first, ...more] = parts
  let next = first && readPart(ctx, first, only)
  for (const part of [...more, null]) {
    const byProduct = await next
    next = part ? readPart(ctx, part, only) : undefined
    // Whoever stops in between does not wait for it, and who goes on hears of a failure.
    next?.catch(() => undefined)
    yield* byProduct ?? []
  }
}

interface Row extends Omit<Candidate, 'criteria'> {
  readonly product_key: ProductKey
  readonly criteria: string | null
  /** Where nothing was packed yet. */
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
  const found = new Map<ProductKey, Candidate[]>()
  for (const row of rows) {
    const criteria = row.criteria ?? criteriaOf(row.product_key, row.record)
    const threats = found.get(row.product_key)
    if (threats) threats.push({ ...row, criteria })
    else found.set(row.product_key, [{ ...row, criteria }])
  }
  return found
}

function criteriaOf(key: ProductKey, record: unknown): string {
  // Written by packs/drafts.ts, of this very type.
  return packCriteria(record as Applicability).get(key) ?? '[]'
}

/** The vendor and product of a canonical key; a key's colon is the first one that is not quoted. */
export function splitKey(key: string): { vendor: string; product: string } {
  const at = /(?<!\\):/.exec(key)?.index ?? key.length
  return { vendor: key.slice(0, at), product: key.slice(at + 1) }
}
