import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/inventory'
import type { ProductThreat } from '@glacis/contract/inventory'
import type { Threat } from '@glacis/contract/threat'
import { type Applicability, issueQualityMin, matchProduct } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage } from '#database/page.ts'
import { notFound } from '#errors.ts'
import { partsOf } from '#inventory/subject.ts'
import { sql } from 'kysely'

/** How a row of `threat` is shown: the threats room's, handed in because inventory may not open that door. */
export type ThreatsById = (
  ctx: Ctx,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, { threat: Threat; key: string }>>

interface Row {
  readonly id: string
  readonly key: string
  readonly score: number
  readonly record: unknown
  readonly issue_id: string | null
}

/** The verdicts that say that the version was read and is not affected. */
const refuted = new Set(['version_outside', 'fixed_by_distribution', 'rejected', 'other_product', 'other_variant'])

/**
 * Known threats to a product, worst first: whether each affects its version, and why. `found` restricts
 * them to those that an issue stands on, or to the others.
 *
 * @throws Refusal `not_found`
 */
export async function listProductThreats(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listProductThreats>,
  threatsById: ThreatsById,
): Promise<ResultOf<typeof contract.listProductThreats>> {
  const { id, filter = {} } = input
  const product = await ctx.tx
    .selectFrom('product')
    .select(['wfn', 'subject'])
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!product) throw notFound('product', id)
  const { vendor, product: name } = partsOf(product.subject)
  const page = readPage(input, { id, filter })
  const found =
    filter.found === undefined ? sql`true` : filter.found ? sql`standing.id is not null` : sql`standing.id is null`
  const after = page.after
    ? sql`(threat.score, threat.id) < (${page.after[0]}::numeric, ${page.after[1]}::uuid)`
    : sql`true`
  const { rows } = await sql<Row>`
    select threat.id, threat.key, threat.score, threat.record, standing.id as issue_id
    from threat_product
    join threat on threat.id = threat_product.threat_id
    left join lateral (
      select issue.id from issue
      where issue.account_id = ${ctx.account} and issue.threat_id = threat.id
        and exists (
          select from occurrence
          where occurrence.account_id = ${ctx.account} and occurrence.issue_id = issue.id
            and occurrence.product_id = ${id}
            and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION', 'STATUS_IGNORED'))
    ) as standing on true
    where threat_product.vendor = ${vendor} and threat_product.product = ${name}
      and threat.kind = 'cve'
      and ${found} and ${after}
    order by threat.score desc, threat.id desc
    limit ${page.size + 1}`.execute(ctx.tx)
  const cut = cutPage(page, rows, (row) => [row.score, row.id])
  const shown = await threatsById(
    ctx,
    cut.rows.map((row) => row.id),
  )
  const threats = cut.rows.flatMap((row): ProductThreat[] => {
    const one = shown.get(row.id)
    return one ? [{ ...one, ...verdictOf(product.wfn, row), ...(row.issue_id && { issueId: row.issue_id }) }] : []
  })
  return { threats, nextPageToken: cut.nextPageToken }
}

function verdictOf(
  wfn: Parameters<typeof matchProduct>[0]['wfn'],
  row: Row,
): Pick<ProductThreat, 'affectsVersion' | 'reason'> {
  const record = row.record as Applicability // written by packs/drafts.ts, of this very type
  const verdict = matchProduct({ wfn, quality: 80 }, { ...record, id: row.key }, [])
  if (verdict.kind === 'no_match') {
    const isRefuted = refuted.has(verdict.reason)
    return { affectsVersion: isRefuted ? 'AFFECTS_NO' : 'AFFECTS_UNKNOWN', reason: sentence(verdict.text) }
  }
  const isSure = verdict.quality >= issueQualityMin
  return { affectsVersion: isSure ? 'AFFECTS_YES' : 'AFFECTS_UNKNOWN', reason: sentence(verdict.evidence.text) }
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}
