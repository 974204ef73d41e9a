import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/product'
import type { ProductThreat } from '@glacis/contract/product'
import type { Threat } from '@glacis/contract/threat'
import {
  type Applicability,
  issueQualityMin,
  type Knowledge,
  matchProduct,
  type MatchSubject,
} from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage } from '#database/page.ts'
import { notFound } from '#errors.ts'
import { splitProductKey } from '#inventory/product-key.ts'
import { sql } from 'kysely'

/** Loads threats by ID. Passed in by the caller, because inventory may not depend on threats. */
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

/** Reasons that rule out the detected version. */
const refuted = new Set(['version_outside', 'fixed_by_distribution', 'rejected', 'other_product', 'other_variant'])

/**
 * Known threats to a product, worst first: whether each affects the installed version, and why.
 * `found` selects those with or without an issue.
 *
 * @throws ApiError `not_found`
 */
export async function listProductThreats(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listProductThreats>,
  threatsById: ThreatsById,
  knowledge: Knowledge,
): Promise<ResultOf<typeof contract.listProductThreats>> {
  const { id, filter = {} } = input
  const product = await ctx.tx
    .selectFrom('product')
    .select(['wfn', 'subject'])
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!product) throw notFound('product', id)
  const { vendor, product: name } = splitProductKey(product.subject)
  const page = readPage(input, ['threats', id, filter])
  const condition =
    filter.found === undefined ? sql`true` : filter.found ? sql`own_issue.id is not null` : sql`own_issue.id is null`
  const after = page.after
    ? sql`(threat.score, threat.id) < (${page.after[0]}::numeric, ${page.after[1]}::uuid)`
    : sql`true`
  const { rows } = await sql<Row>`
    select threat.id, threat.key, threat.score, threat.record, own_issue.id as issue_id
    from threat_product
    join threat on threat.id = threat_product.threat_id
    left join lateral (
      select issue.id from issue
      where issue.account_id = ${ctx.workspace} and issue.threat_id = threat.id
        and exists (
          select from occurrence
          where occurrence.account_id = ${ctx.workspace} and occurrence.issue_id = issue.id
            and occurrence.product_id = ${id}
            and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION', 'STATUS_IGNORED'))
    ) as own_issue on true
    where threat_product.vendor = ${vendor} and threat_product.product = ${name}
      and threat.kind = 'cve'
      and ${condition} and ${after}
    order by threat.score desc, threat.id desc
    limit ${page.size + 1}`.execute(ctx.tx)
  const threatPage = cutPage(page, rows, (row) => [row.score, row.id])
  const shown = await threatsById(
    ctx,
    threatPage.rows.map((row) => row.id),
  )
  const builds = await buildsOf(ctx, id)
  const known = await withFixes(ctx, product.subject, threatPage.rows, knowledge)
  const threats = threatPage.rows.flatMap((row): ProductThreat[] => {
    const threat = shown.get(row.id)
    return threat
      ? [{ ...threat, ...verdictOf(product.wfn, builds, row, known), ...(row.issue_id && { issueId: row.issue_id }) }]
      : []
  })
  return { threats, nextPageToken: threatPage.nextPageToken }
}

/** An installed build of the product. Builds of one version may contain different fixes. */
type Build = Pick<MatchSubject, 'revision' | 'quality'>
const buildsMax = 50

async function buildsOf(ctx: Ctx, productId: string): Promise<readonly Build[]> {
  const rows = await ctx.tx
    .selectFrom('host_product')
    .select(['revision', 'quality'])
    .distinct()
    .where('account_id', '=', ctx.workspace)
    .where('product_id', '=', productId)
    .where('gone_at', 'is', null)
    .limit(buildsMax)
    .execute()
  return rows.length > 0 ? rows : [{ quality: 80 }]
}

/** Fixes for these threats from distribution feeds and our own packs. */
async function withFixes(ctx: Ctx, product: string, threats: readonly Row[], knowledge: Knowledge): Promise<Knowledge> {
  const keys = threats.map((row) => row.key)
  const rows = await ctx.tx
    .selectFrom('distribution_fix')
    .selectAll()
    .where('product', '=', product)
    .where((where) => where('key', '=', where.fn.any(where.val(keys))))
    .execute()
  const fixes = new Map(keys.map((key) => [key, [...(knowledge.distributionFixes?.get(key) ?? [])]]))
  for (const { key, release, fixed_version: fixedVersion } of rows)
    fixes.get(key)?.push({ product, release, fixedVersion })
  return { distributionFixes: fixes }
}

/** The worst verdict over all builds, so that no affected host is hidden. */
function verdictOf(
  wfn: MatchSubject['wfn'],
  builds: readonly Build[],
  row: Row,
  knowledge: Knowledge,
): Pick<ProductThreat, 'affectsVersion' | 'reason'> {
  const record = row.record as Applicability // written by packs/drafts.ts as this type
  const verdicts = builds.map((build) => {
    const verdict = matchProduct({ wfn, ...build }, { ...record, id: row.key }, [], knowledge)
    if (verdict.kind === 'no_match') {
      const affectsVersion = refuted.has(verdict.reason) ? ('AFFECTS_NO' as const) : ('AFFECTS_UNKNOWN' as const)
      return { affectsVersion, reason: sentence(verdict.text) }
    }
    const affectsVersion = verdict.quality >= issueQualityMin ? ('AFFECTS_YES' as const) : ('AFFECTS_UNKNOWN' as const)
    return { affectsVersion, reason: sentence(verdict.evidence.text) }
  })
  const [worst] = verdicts.toSorted(
    (a, b) => severities.indexOf(a.affectsVersion) - severities.indexOf(b.affectsVersion),
  )
  return worst ?? { affectsVersion: 'AFFECTS_UNKNOWN', reason: 'No information about the installed builds.' }
}
const severities: readonly ProductThreat['affectsVersion'][] = ['AFFECTS_YES', 'AFFECTS_UNKNOWN', 'AFFECTS_NO']

function sentence(text: string): string {
  const capitalized = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`
}
