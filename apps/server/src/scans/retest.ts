import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type { ScanHost, ScanJob } from '@glacis/contract/runner'
import type * as contract from '@glacis/contract/triage'
import { getAgent } from '#agents/index.ts'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { ApiError, notFound } from '#errors.ts'
import { requireIssue } from '#issues/index.ts'
import type { Jobs } from '#jobs.ts'
import { queueNextBatches, announceScan, pluralize, logScanEvent } from '#scans/lifecycle.ts'
import { getScan } from '#scans/list.ts'
import { alreadyActive, requireScannable } from '#scans/start.ts'
import { sql } from 'kysely'

interface AffectedOccurrence {
  readonly target_id: string
  readonly address: string
  readonly name: string
  readonly methods: string[]
}

const hostsPerBatch = 64

/**
 * Checks one issue again on some or all of its hosts, each with the hosts merged into it. Starts one scan per target
 * with only the checks that confirmed the issue. Uses no quota and doesn't change other issues.
 *
 * @throws ApiError `not_found` if there is no such issue or it affects none of the hosts; `precondition` if one of the
 *   targets is paused or its agent was deleted, or if all were deleted; `conflict` while a scan of one of them is active,
 *   with its ID in the metadata
 */
export async function retestIssue(
  ctx: Ctx,
  jobs: Jobs,
  { id, hostIds }: ParsedInputOf<typeof contract.retestIssue>,
): Promise<ResultOf<typeof contract.retestIssue>> {
  const occurrences = await occurrencesOf(ctx, id, hostIds)
  if (occurrences.length === 0) throw await nothingToRetest(ctx, id, hostIds)
  const scans = []
  for (const [targetId, hosts] of Map.groupBy(occurrences, (occurrence) => occurrence.target_id)) {
    scans.push((await startRetest(ctx, jobs, id, targetId, hosts)).scan)
  }
  const [scan] = scans
  if (!scan) throw new Error('every occurrence has a target')
  await recordAuditEvent(ctx, 'issue.retest', { kind: 'issue', id }, { scanIds: scans.map((item) => item.id) })
  return { scan, scans }
}

/** Restricts a job to the checks of a retest and to ports known to be open. Other jobs are unchanged. */
export function narrowJob(
  job: ScanJob,
  of: { readonly checks: readonly string[] | null; readonly known: Readonly<Record<string, readonly number[]>> },
): ScanJob {
  if (of.checks === null) return job
  const ports = [...new Set(Object.values(of.known).flat())]
  const checks = of.checks.filter((check) => check !== 'version' && check !== 'package')
  return { ...job, checks, ...(ports.length > 0 && !job.ports && { ports }) }
}

async function occurrencesOf(
  ctx: Ctx,
  issueId: string,
  hostIds: readonly string[] | undefined,
): Promise<AffectedOccurrence[]> {
  const { rows } = await sql<AffectedOccurrence>`
    select occurrence.target_id, host.address, host.name, array_agg(distinct occurrence.method) as methods
    from occurrence
    join host on host.account_id = occurrence.account_id and host.id = occurrence.host_id
    join target on target.account_id = occurrence.account_id and target.id = occurrence.target_id
    where occurrence.account_id = ${ctx.workspace} and occurrence.issue_id = ${issueId}
      and (${hostIds ?? null}::uuid[] is null or occurrence.host_id = any(${hostIds ?? []}::uuid[]) or host.merged_into = any(${hostIds ?? []}::uuid[]))
      and target.deleted_at is null
    group by occurrence.target_id, host.address, host.name
    order by occurrence.target_id, host.address`.execute(ctx.tx)
  return rows
}

/** The error for an issue without occurrences on these hosts. @throws ApiError `not_found` if there is no such issue */
async function nothingToRetest(ctx: Ctx, id: string, [hostId]: readonly string[] = []): Promise<ApiError> {
  await requireIssue(ctx, id)
  return hostId === undefined
    ? new ApiError('precondition', 'All targets of this issue were deleted')
    : notFound('host of this issue', hostId)
}

async function startRetest(
  ctx: Ctx,
  jobs: Jobs,
  issueId: string,
  targetId: string,
  hosts: readonly AffectedOccurrence[],
) {
  const target = await ctx.tx
    .selectFrom('target')
    .select(['former_agent', 'paused_at', 'agent_id'])
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', targetId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  requireScannable(target)
  const agent = target.agent_id ? (await getAgent(ctx, { id: target.agent_id })).agent : null
  const id = newId()
  const checks = [...new Set(hosts.flatMap((host) => host.methods))]
  const created = await ctx.tx
    .insertInto('scan')
    .values({
      account_id: ctx.workspace,
      id,
      target_id: targetId,
      type: 'TYPE_MANUAL',
      status: 'STATUS_RUNNING',
      phase: 'PHASE_DISCOVERY',
      hosts_total: hosts.length,
      started_by: ctx.actor.name,
      created_at: ctx.now,
      started_at: ctx.now,
      completed_at: null,
      last_activity_at: ctx.now,
      updated_at: ctx.now,
      agent_id: agent?.id ?? null,
      ...(agent && { agent_name: agent.name }),
      retest_of: issueId,
      checks,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'target_id'])
        .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
        .doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  if (!created) throw await alreadyActive(ctx, targetId)
  await queue(ctx, id, hosts)
  const message = `Retesting one risk on ${pluralize(hosts.length, 'host', 'hosts')}, requested by ${ctx.actor.name}`
  await logScanEvent(ctx, id, 'LEVEL_INFO', message)
  await announceScan(ctx, id, 'EVENT_SCAN_STARTED')
  await queueNextBatches(ctx, jobs, id)
  return getScan(ctx, { id })
}

async function queue(ctx: Ctx, scanId: string, hosts: readonly AffectedOccurrence[]): Promise<void> {
  const all = hosts.map(({ address, name }): ScanHost => ({ address, names: name ? [name] : [] }))
  const batches = Array.from({ length: Math.ceil(all.length / hostsPerBatch) }, (_, number) =>
    all.slice(number * hostsPerBatch, (number + 1) * hostsPerBatch),
  )
  await ctx.tx
    .insertInto('scan_batch')
    .values(
      batches.map((batch, number) => ({
        account_id: ctx.workspace,
        scan_id: scanId,
        number,
        hosts: JSON.stringify(batch),
        state: 'WAITING' as const,
      })),
    )
    .execute()
}
