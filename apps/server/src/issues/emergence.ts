/** News of the world that concern an account. */
import {
  fromWfn,
  issueQualityMin,
  type Knowledge,
  matchProduct,
  type Prepared,
  prepareThreats,
  type ProductKey,
  toWfn,
} from '@glacis/intelligence'
import type { Wfn } from '@glacis/contract/product'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { announce, type Announcement } from '#notifications/index.ts'
import type { Inferred } from '#issues/potential.ts'
import type { ChangedThreats } from '#issues/rematch.ts'
import { type Candidate, threatsOfProducts } from '#threats/index.ts'
import { sql } from 'kysely'

/** For so long after its publication, or after it became known to be exploited, a threat is news. */
const newsDays = 30
/** Emerging scans of one account that one run of the feeds may start. */
const targetsMax = 20

interface News {
  readonly threat_id: string
  readonly product_id: string
  readonly host_count: number
}

/**
 * Writes one row of `emergence` for each threat and product of which the account has not been told,
 * where the threat is news and its score reaches the product's `minNotificationSeverity`. A row is
 * written once, whatever becomes of the issue, and with it goes one word of it to the channels.
 *
 * @returns the targets that run what is concerned, for an emerging scan
 */
export async function tellOfEmergence(
  ctx: Ctx,
  changed: ChangedThreats,
  inferred: readonly Inferred[],
  knowledge: Knowledge,
): Promise<string[]> {
  const found = new Map<string, { hosts: Set<string>; targets: Set<string> } & Omit<News, 'host_count'>>()
  for (const { finding, productId } of inferred) {
    const key = `${finding.threat.id} ${productId}`
    const one = found.get(key) ?? {
      threat_id: finding.threat.id,
      product_id: productId,
      hosts: new Set(),
      targets: new Set(),
    }
    found.set(key, one)
    one.hosts.add(finding.hostId)
    one.targets.add(finding.targetId)
  }
  const seen = [...found.values()].map(({ hosts, ...one }) => ({ ...one, host_count: hosts.size }))
  const watched = await watchedOnly(ctx, changed, new Set(seen.map((one) => one.product_id)), knowledge)
  const told = new Set(await tell(ctx, [...seen, ...watched]))
  const targets = seen
    .filter((one) => told.has(`${one.threat_id} ${one.product_id}`))
    .flatMap((one) => [...one.targets])
  return [...new Set(targets)].slice(0, targetsMax)
}

/** Software that is watched and was seen on no host. */
async function watchedOnly(
  ctx: Ctx,
  changed: ChangedThreats,
  seen: ReadonlySet<string>,
  knowledge: Knowledge,
): Promise<News[]> {
  const { rows } = await sql<{ id: string; subject: string; wfn: Wfn }>`
    select id, subject, wfn from product
    where account_id = ${ctx.account} and watched and subject = any(${changed.subjects}::text[])`.execute(ctx.tx)
  const products = rows.filter((row) => !seen.has(row.id))
  const bySubject = Map.groupBy(products, (row) => row.subject as ProductKey) // written by inventory, of this very type
  const news: News[] = []
  for await (const [key, threats] of threatsOfProducts(ctx, [...bySubject.keys()], changed.ids)) {
    const prepared = prepareThreats(key, threats)
    for (const { id, wfn } of bySubject.get(key) ?? []) {
      const concerning = concern(wfn, prepared, knowledge) ?? threats
      news.push(...concerning.map((threat) => ({ threat_id: threat.id, product_id: id, host_count: 0 })))
    }
  }
  return news
}

/** What concerns a version; null where the watch names none and means them all. */
function concern(wfn: Wfn, prepared: Prepared<Candidate>, knowledge: Knowledge): Candidate[] | null {
  const name = fromWfn(wfn)
  if (!name || name.version === '*') return null
  const product = { wfn: toWfn(name), quality: 80 }
  const hits = [...prepared.alone(product), ...prepared.among(product, [])]
  return hits.flatMap((hit) => {
    const match = matchProduct(product, prepared.criteriaOf(hit), [], knowledge)
    return match.kind === 'match' && match.quality >= issueQualityMin ? hit.threat : []
  })
}

interface Told {
  readonly threat_id: string
  readonly product_id: string
  readonly issue_id: string | null
  readonly host_count: number
}

/** Answers `threat product` of each row that is new. */
async function tell(ctx: Ctx, news: readonly News[]): Promise<string[]> {
  if (news.length === 0) return []
  const { rows } = await sql<Told>`
    insert into emergence (account_id, id, threat_id, product_id, issue_id, host_count, at)
    select ${ctx.account}, fresh.id, fresh.threat_id, fresh.product_id, issue.id, fresh.host_count, ${ctx.now}
    from unnest(
      ${news.map(() => newId())}::uuid[], ${news.map((one) => one.threat_id)}::uuid[],
      ${news.map((one) => one.product_id)}::uuid[], ${news.map((one) => one.host_count)}::int[]
    ) as fresh (id, threat_id, product_id, host_count)
    join threat on threat.id = fresh.threat_id
    join product on product.account_id = ${ctx.account} and product.id = fresh.product_id
    left join issue on issue.account_id = ${ctx.account} and issue.threat_id = fresh.threat_id
    where threat.kind = 'cve' and threat.score >= product.min_notification_severity
      and greatest(threat.published_at, threat.known_exploited_at) >= ${ctx.now}::timestamptz - make_interval(days => ${newsDays})
      and (issue.id is null or issue.status in ('STATUS_OPEN', 'STATUS_REGRESSION'))
    on conflict do nothing
    returning threat_id, product_id, issue_id, host_count`.execute(ctx.tx)
  await announce(ctx, await wordsOf(ctx, rows))
  return rows.map((row) => `${row.threat_id} ${row.product_id}`)
}

/** `CVE-2026-1234 concerns nginx 1.18.0 on 3 hosts`. */
async function wordsOf(ctx: Ctx, told: readonly Told[]): Promise<Announcement[]> {
  const { rows } = await sql<Told & { key: string; score: number; name: string }>`
    select told.*, threat.key, threat.score, trim(product.name || ' ' || product.version) as name
    from jsonb_to_recordset(${JSON.stringify(told)}::jsonb)
      as told (threat_id uuid, product_id uuid, issue_id uuid, host_count int)
    join threat on threat.id = told.threat_id
    join product on product.account_id = ${ctx.account} and product.id = told.product_id`.execute(ctx.tx)
  return rows.map(({ key, score, name, host_count: hosts, issue_id: issue, product_id: product }) => ({
    kind: 'EVENT_THREAT_EMERGING',
    title: `${key} concerns ${name}${hosts === 0 ? '' : hosts === 1 ? ' on one host' : ` on ${hosts} hosts`}`,
    score,
    resource: issue ? { kind: 'issue', id: issue } : { kind: 'product', id: product },
  }))
}
