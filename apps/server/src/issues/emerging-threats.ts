/** Emerging threats: newly published or newly exploited threats that affect a workspace. */
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
import { type Candidate, threatsOfProducts } from '#threats/index.ts'
import { sql } from 'kysely'

/**
 * A threat counts as emerging for this long after its publication or its first known exploitation.
 */
const newsDays = 30
/** Maximum number of emerging-threat scans per workspace and feed update. */
const targetsMax = 20

/** New and changed threats, with the products they name. */
export interface ChangedThreats {
  readonly ids: readonly string[]
  /** Canonical `vendor:product` keys. */
  readonly subjects: readonly string[]
  /** False on the initial load: threats that are merely new to this installation aren't news. */
  readonly isNews: boolean
}

interface EmergingThreat {
  readonly threat_id: string
  readonly product_id: string
  readonly host_count: number
}

/**
 * Inserts an `emergence` row for each new combination of threat and product where the threat is
 * recent and its score reaches the product's `minNotificationSeverity`, and announces it. Each row
 * is written once, regardless of what happens to the issue.
 *
 * @returns targets that run affected software, to be scanned
 */
export async function announceEmergingThreats(
  ctx: Ctx,
  changed: ChangedThreats,
  inferred: readonly Inferred[],
  knowledge: Knowledge,
): Promise<string[]> {
  const affectedByThreat = new Map<
    string,
    { hosts: Set<string>; targets: Set<string> } & Omit<EmergingThreat, 'host_count'>
  >()
  for (const { finding, productId } of inferred) {
    const key = `${finding.threat.id} ${productId}`
    const emerging = affectedByThreat.get(key) ?? {
      threat_id: finding.threat.id,
      product_id: productId,
      hosts: new Set(),
      targets: new Set(),
    }
    affectedByThreat.set(key, emerging)
    emerging.hosts.add(finding.hostId)
    emerging.targets.add(finding.targetId)
  }
  const installed = [...affectedByThreat.values()].map(({ hosts, ...emerging }) => ({
    ...emerging,
    host_count: hosts.size,
  }))
  const watched = await watchedOnly(ctx, changed, new Set(installed.map((item) => item.product_id)), knowledge)
  const announced = new Set(await insertNew(ctx, [...installed, ...watched]))
  const targets = installed
    .filter((item) => announced.has(`${item.threat_id} ${item.product_id}`))
    .flatMap((item) => [...item.targets])
  return [...new Set(targets)].slice(0, targetsMax)
}

/** Watched software that was not seen on any host. */
async function watchedOnly(
  ctx: Ctx,
  changed: ChangedThreats,
  installed: ReadonlySet<string>,
  knowledge: Knowledge,
): Promise<EmergingThreat[]> {
  const { rows } = await sql<{ id: string; subject: string; wfn: Wfn }>`
    select id, subject, wfn from product
    where account_id = ${ctx.workspace} and watched and subject = any(${changed.subjects}::text[])`.execute(ctx.tx)
  const products = rows.filter((row) => !installed.has(row.id))
  const bySubject = Map.groupBy(products, (row) => row.subject as ProductKey) // written by inventory as this type
  const news: EmergingThreat[] = []
  for await (const [key, threats] of threatsOfProducts(ctx, [...bySubject.keys()], changed.ids)) {
    const prepared = prepareThreats(key, threats)
    for (const { id, wfn } of bySubject.get(key) ?? []) {
      const concerning = affectingThreat(wfn, prepared, knowledge) ?? threats
      news.push(...concerning.map((threat) => ({ threat_id: threat.id, product_id: id, host_count: 0 })))
    }
  }
  return news
}

/** The threat if it affects the watched version; a watch without a version matches all. */
function affectingThreat(wfn: Wfn, prepared: Prepared<Candidate>, knowledge: Knowledge): Candidate[] | null {
  const name = fromWfn(wfn)
  if (!name || name.version === '*') return null
  const product = { wfn: toWfn(name), quality: 80 }
  const hits = [...prepared.matchAlone(product), ...prepared.matchAmong(product, [])]
  return hits.flatMap((hit) => {
    const match = matchProduct(product, prepared.criteriaOf(hit), [], knowledge)
    return match.kind === 'match' && match.quality >= issueQualityMin ? hit.threat : []
  })
}

interface AnnouncedRow {
  readonly threat_id: string
  readonly product_id: string
  readonly issue_id: string | null
  readonly host_count: number
}

/** Returns `threat product` for each inserted row. */
async function insertNew(ctx: Ctx, news: readonly EmergingThreat[]): Promise<string[]> {
  if (news.length === 0) return []
  const { rows } = await sql<AnnouncedRow>`
    insert into emergence (account_id, id, threat_id, product_id, issue_id, host_count, at)
    select ${ctx.workspace}, fresh.id, fresh.threat_id, fresh.product_id, issue.id, fresh.host_count, ${ctx.now}
    from unnest(
      ${news.map(() => newId())}::uuid[], ${news.map((item) => item.threat_id)}::uuid[],
      ${news.map((item) => item.product_id)}::uuid[], ${news.map((item) => item.host_count)}::int[]
    ) as fresh (id, threat_id, product_id, host_count)
    join threat on threat.id = fresh.threat_id
    join product on product.account_id = ${ctx.workspace} and product.id = fresh.product_id
    left join issue on issue.account_id = ${ctx.workspace} and issue.threat_id = fresh.threat_id
    where threat.kind = 'cve' and threat.score >= product.min_notification_severity
      and greatest(threat.published_at, threat.known_exploited_at) >= ${ctx.now}::timestamptz - make_interval(days => ${newsDays})
      and (issue.id is null or issue.status in ('STATUS_OPEN', 'STATUS_REGRESSION'))
    on conflict do nothing
    returning threat_id, product_id, issue_id, host_count`.execute(ctx.tx)
  await announce(ctx, await announcementsOf(ctx, rows))
  return rows.map((row) => `${row.threat_id} ${row.product_id}`)
}

/** The title of each announcement: `CVE-2026-1234 affects nginx 1.18.0 on 3 hosts`. */
async function announcementsOf(ctx: Ctx, announced: readonly AnnouncedRow[]): Promise<Announcement[]> {
  const { rows } = await sql<AnnouncedRow & { key: string; score: number; name: string }>`
    select announced.*, threat.key, threat.score, trim(product.name || ' ' || product.version) as name
    from jsonb_to_recordset(${JSON.stringify(announced)}::jsonb)
      as announced (threat_id uuid, product_id uuid, issue_id uuid, host_count int)
    join threat on threat.id = announced.threat_id
    join product on product.account_id = ${ctx.workspace} and product.id = announced.product_id`.execute(ctx.tx)
  return rows.map(({ key, score, name, host_count: hosts, issue_id: issue, product_id: product }) => ({
    kind: 'EVENT_THREAT_EMERGING',
    title: `${key} affects ${name}${hosts === 0 ? '' : hosts === 1 ? ' on one host' : ` on ${hosts} hosts`}`,
    score,
    resource: issue ? { kind: 'issue', id: issue } : { kind: 'product', id: product },
  }))
}
