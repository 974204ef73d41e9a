import type { IssueStatus } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import type { StoredEvidence, Tables } from '#database/tables.ts'
import { onDetected } from '#issues/status.ts'
import type { ThreatKey } from '#threats/index.ts'
import { createHash } from 'node:crypto'
import { type Selectable, sql } from 'kysely'

/** An observed weakness and its threat. */
export interface Finding {
  readonly threat: ThreatKey
  readonly hostId: string
  readonly targetId: string
  readonly location: string
  readonly port: number | null
  /** The affected software, if the detector knows it. Otherwise, `linkProducts` determines it. */
  readonly productId?: string
  /** ID of the check, or `version`. */
  readonly method: string
  readonly quality: number
  readonly evidence: StoredEvidence
}

/** The effect on one issue and host, for the scan's own results. */
export interface Change {
  readonly issueId: string
  readonly hostId: string
  readonly change: 'NEW' | 'SEEN' | 'REGRESSION' | 'RESOLVED'
}

/** The effect of raising a finding. */
export interface Raised extends Change {
  /** All findings were already known; only their times changed. */
  readonly isSame: boolean
}

type Occurrence = Selectable<Tables['occurrence']>

/**
 * Writes findings: one issue per threat, one occurrence per host, location, and method. Repeated
 * findings only update times. The caller runs `rollUp` once afterward to update statuses, and
 * `linkProducts` for findings without a product.
 *
 * @param hosts hosts with further changes in this transaction; their active issues are locked too
 */
export async function raise(ctx: Ctx, all: readonly Finding[], hosts: readonly string[] = []): Promise<Raised[]> {
  const findings = distinct(all)
  if (findings.length === 0 && hosts.length === 0) return []
  const issues = await ensureIssues(ctx, findings, hosts)
  if (findings.length === 0) return []
  const before = await occurrencesOf(ctx, [...issues.values()], findings)
  const known = new Map(before.map((row) => [keyOf(row.issue_id, row.host_id, row.location, row.method), row]))
  const hostsKnown = new Set(before.map((row) => `${row.issue_id} ${row.host_id}`))
  const ignoredHosts = new Map(
    before.filter((row) => row.status === 'STATUS_IGNORED').map((row) => [`${row.issue_id} ${row.host_id}`, row]),
  )
  const changes = new Map<string, Raised>()
  const rows = findings.map((finding) => {
    const issueId = issues.get(finding.threat.id) ?? ''
    const old = known.get(keyOf(issueId, finding.hostId, finding.location, finding.method))
    const host = `${issueId} ${finding.hostId}`
    const row = toRow(ctx, finding, issueId, old, ignoredHosts.get(host))
    const change = changeOf(hostsKnown.has(host), old?.status, row.status)
    const other = changes.get(host)
    const isSame = old?.status === row.status && old.quality === row.quality && (other?.isSame ?? true)
    const worse = other && change !== 'REGRESSION' ? other.change : change
    changes.set(host, { issueId, hostId: finding.hostId, change: worse, isSame })
    return row
  })
  for (const part of chunksOf(rows, rowsMax)) await write(ctx, part)
  return [...changes.values()]
}

function changeOf(wasKnown: boolean, before: IssueStatus | undefined, now: IssueStatus): Change['change'] {
  if (!wasKnown) return 'NEW'
  return now === 'STATUS_REGRESSION' && before !== 'STATUS_REGRESSION' ? 'REGRESSION' : 'SEEN'
}

/** The best evidence per occurrence, if a scan reported it more than once. */
function distinct(findings: readonly Finding[]): Finding[] {
  const best = new Map<string, Finding>()
  for (const finding of findings) {
    const key = keyOf(finding.threat.id, finding.hostId, finding.location, finding.method)
    const other = best.get(key)
    if (!other || other.quality < finding.quality) best.set(key, finding)
  }
  return [...best.values()]
}

const keyOf = (issue: string, host: string, location: string, method: string) =>
  JSON.stringify([issue, host, location, method])

/**
 * Issue ID by threat ID. Locks these issues and the active ones on the hosts in a fixed order and
 * before any occurrence, to prevent deadlocks with other batches and users.
 */
async function ensureIssues(
  ctx: Ctx,
  findings: readonly Finding[],
  hosts: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const threats = [...new Map(findings.map((finding) => [finding.threat.id, finding.threat])).values()]
  threats.sort((a, b) => (a.id < b.id ? -1 : 1))
  for (const part of chunksOf(threats, rowsMax)) await insertIssues(ctx, part)
  const { rows } = await sql<{ id: string; threat_id: string }>`
    select id, threat_id
    from issue
    where account_id = ${ctx.workspace} and id = any(array(
      select id from issue
      where account_id = ${ctx.workspace} and threat_id = any(${threats.map((threat) => threat.id)}::uuid[])
      union
      select issue_id from occurrence
      where account_id = ${ctx.workspace} and host_id = any(${hosts}::uuid[])
        and status in ('STATUS_OPEN', 'STATUS_REGRESSION')))
    order by id
    for update`.execute(ctx.tx)
  return new Map(rows.map((row) => [row.threat_id, row.id]))
}

/** PostgreSQL allows 65,535 parameters per statement; a row has about twenty. */
const rowsMax = 1000

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
}

async function insertIssues(ctx: Ctx, threats: readonly ThreatKey[]): Promise<void> {
  await ctx.tx
    .insertInto('issue')
    .values(
      threats.map((threat) => ({
        account_id: ctx.workspace,
        id: newId(),
        threat_id: threat.id,
        status: 'STATUS_OPEN' as const,
        verification: 'VERIFICATION_UNVERIFIED' as const,
        quality: 0,
        priority: 0,
        score: threat.score,
        category: threat.category,
        first_seen_at: ctx.now,
        last_seen_at: ctx.now,
        ignored_at: null,
        resolved_at: null,
        updated_at: ctx.now,
      })),
    )
    .onConflict((conflict) => conflict.columns(['account_id', 'threat_id']).doNothing())
    .execute()
}

async function occurrencesOf(ctx: Ctx, issues: readonly string[], findings: readonly Finding[]): Promise<Occurrence[]> {
  return ctx.tx
    .selectFrom('occurrence')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where((where) => where('issue_id', '=', where.fn.any(where.val(issues))))
    .where((where) =>
      where('host_id', '=', where.fn.any(where.val([...new Set(findings.map(({ hostId }) => hostId))]))),
    )
    .execute()
}

function toRow(
  ctx: Ctx,
  finding: Finding,
  issueId: string,
  old: Occurrence | undefined,
  ignored: Occurrence | undefined,
) {
  const evidence_key = createHash('sha256').update(JSON.stringify(finding.evidence)).digest('base64url')
  const before = old ? { status: old.status, decidedBy: old.decided_by, evidenceKey: old.evidence_key } : null
  const detected = onDetected(before, { method: finding.method, evidenceKey: evidence_key })
  // Ignoring an issue on a host applies to the host, not to one path on it.
  const status = !old && ignored ? 'STATUS_IGNORED' : detected
  return {
    account_id: ctx.workspace,
    id: old?.id ?? newId(),
    issue_id: issueId,
    host_id: finding.hostId,
    target_id: finding.targetId,
    location: finding.location,
    port: finding.port,
    product_id: finding.productId ?? old?.product_id ?? null,
    method: finding.method,
    status,
    quality: finding.quality,
    evidence: JSON.stringify(finding.evidence),
    evidence_key,
    decided_by: old && status === old.status ? old.decided_by : ('scan' as const),
    first_seen_at: old?.first_seen_at ?? ctx.now,
    last_seen_at: ctx.now,
    ignored_at: status === 'STATUS_IGNORED' ? ((old ?? ignored)?.ignored_at ?? ctx.now) : null,
    ...termsOf(status === 'STATUS_IGNORED' ? (old ?? ignored) : undefined),
    resolved_at: old?.resolved_at ?? null,
    not_checked_since: null,
  }
}

/** New occurrences on the host inherit the ignore terms. */
function termsOf(row: Occurrence | undefined) {
  return {
    ignore_until: row?.ignore_until ?? null,
    ignore_reason: row?.ignore_reason ?? ('' as const),
    ignore_comment: row?.ignore_comment ?? '',
    ignored_by: row?.ignored_by ?? '',
  }
}

async function write(ctx: Ctx, rows: readonly ReturnType<typeof toRow>[]): Promise<void> {
  await ctx.tx
    .insertInto('occurrence')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'issue_id', 'host_id', 'location', 'method']).doUpdateSet((set) => ({
        port: set.ref('excluded.port'),
        product_id: set.ref('excluded.product_id'),
        status: set.ref('excluded.status'),
        quality: set.ref('excluded.quality'),
        evidence: set.ref('excluded.evidence'),
        evidence_key: set.ref('excluded.evidence_key'),
        decided_by: set.ref('excluded.decided_by'),
        last_seen_at: set.ref('excluded.last_seen_at'),
        ignored_at: set.ref('excluded.ignored_at'),
        not_checked_since: null,
      })),
    )
    .execute()
}
