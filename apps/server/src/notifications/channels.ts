import { randomBytes } from 'node:crypto'
import type * as contract from '@glacis/contract/channel'
import type { Channel, ChannelKind, ChannelRule } from '@glacis/contract/channel'
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import { invalid, ApiError, unchangeable } from '#errors.ts'
import { commitHorizon } from '#notifications/announce.ts'
import { channelOf, describeChannels } from '#notifications/describe.ts'
import { lockChannel } from '#notifications/find-channel.ts'
import { type EgressPolicy, urlError } from '#egress-policy.ts'
import { type Selectable, sql } from 'kysely'

type Row = Selectable<Tables['channel']>

/** Maximum number of channels per workspace. */
const channelsMax = 20
/** Default rule of a new channel: new and regressed risks, emerging threats, failed scans, and disconnected agents. */
const defaultRule: ChannelRule = {
  events: [
    'EVENT_ISSUE_OPENED',
    'EVENT_ISSUE_REGRESSED',
    'EVENT_THREAT_EMERGING',
    'EVENT_SCAN_FAILED',
    'EVENT_AGENT_DISCONNECTED',
  ],
  minSeverity: 7,
  tagIds: [],
}

export async function listChannels(ctx: Ctx): Promise<{ channels: Channel[] }> {
  const rows = await ctx.tx
    .selectFrom('channel')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .orderBy('failures', 'desc')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return { channels: await describeChannels(ctx, rows) }
}

interface Destination {
  /** Networks that messages can be sent to. */
  readonly egress: EgressPolicy
}

/**
 * @throws ApiError `invalid` for a missing or unexpected URL, a URL that messages can't be sent to,
 * or an unknown tag
 */
export async function createChannel(
  ctx: Ctx,
  { egress }: Destination,
  { channel }: ParsedInputOf<typeof contract.createChannel>,
): Promise<{ channel: Channel }> {
  const url = addressFor(channel.kind, channel.webhookUrl, egress)
  const rule = channel.rule ?? defaultRule
  requireRecipients(channel.kind, rule)
  await requireTags(ctx, rule.tagIds)
  await requireFreeSlot(ctx)
  const secret = newSecret()
  const id = newId()
  await ctx.tx
    .insertInto('channel')
    .values({
      account_id: ctx.workspace,
      id,
      kind: channel.kind,
      webhook_url: url,
      secret,
      ...columnsOf(rule),
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .execute()
  await recordAuditEvent(ctx, 'channel.create', { kind: 'channel', id }, { kind: channel.kind })
  const created = await channelOf(ctx, id)
  return { channel: channel.kind === 'KIND_WEBHOOK' ? { ...created, secret } : created }
}

/**
 * @throws ApiError `not_found`; `invalid` for a field that can't be changed, an invalid URL, or an
 * unknown tag
 */
export async function updateChannel(
  ctx: Ctx,
  { egress }: Destination,
  { id, channel, updateMask }: ParsedInputOf<typeof contract.updateChannel>,
): Promise<{ channel: Channel }> {
  const before = await lockChannel(ctx, id)
  const changes: Partial<Row> = {}
  for (const path of updateMask.paths) Object.assign(changes, changeOf(path, before, channel, egress))
  const isTurnedOn = updateMask.paths.includes('isEnabled') && channel.isEnabled
  if (isTurnedOn && before.kind !== 'KIND_EMAIL' && (changes.webhook_url ?? before.webhook_url) === '')
    throw invalid('channel.webhookUrl', 'Add a URL before you turn on the channel')
  if (changes.tag_ids) await requireTags(ctx, changes.tag_ids)
  await ctx.tx
    .updateTable('channel')
    .set({ ...changes, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .execute()
  // Events from the time the channel was off are not sent.
  if (changes.is_enabled && !before.is_enabled) await skipBacklog(ctx, id)
  if (changes.is_enabled === false) await endPending(ctx, id)
  await recordAuditEvent(ctx, 'channel.update', { kind: 'channel', id }, { paths: updateMask.paths })
  return { channel: await channelOf(ctx, id) }
}

/** Ends pending deliveries of a channel that was turned off. Users can still send them again. */
async function endPending(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx
    .updateTable('delivery')
    .set({ state: 'STATE_FAILED', error: 'The channel was turned off before delivery', completed_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('channel_id', '=', id)
    .where('state', '=', 'STATE_PENDING')
    .execute()
}

function changeOf(
  path: string,
  before: Row,
  input: ParsedInputOf<typeof contract.updateChannel>['channel'],
  egress: EgressPolicy,
): Partial<Row> {
  if (path === 'webhookUrl' && input.webhookUrl !== undefined) {
    return input.webhookUrl === '' && before.kind !== 'KIND_EMAIL'
      ? { webhook_url: '', is_enabled: false }
      : { webhook_url: addressFor(before.kind, input.webhookUrl, egress), failures: 0 }
  }
  if (path === 'rule' && input.rule) {
    requireRecipients(before.kind, input.rule)
    return columnsOf(input.rule)
  }
  if (path === 'isEnabled' && input.isEnabled !== undefined) {
    return { is_enabled: input.isEnabled, failures: 0 }
  }
  const changeable = ['webhookUrl', 'rule', 'isEnabled']
  if (changeable.includes(path))
    throw invalid(`channel.${path}`, `updateMask includes '${path}', but the body doesn't contain it`)
  throw unchangeable(path, changeable)
}

/** @throws ApiError `not_found` */
export async function deleteChannel(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  await lockChannel(ctx, id)
  await ctx.tx.deleteFrom('channel').where('account_id', '=', ctx.workspace).where('id', '=', id).execute()
  await recordAuditEvent(ctx, 'channel.delete', { kind: 'channel', id })
  return {}
}

/** @throws ApiError `not_found`; `precondition` for a channel that doesn't sign messages */
export async function rotateSecret(ctx: Ctx, { id }: { id: string }): Promise<{ channel: Channel }> {
  const { kind } = await lockChannel(ctx, id)
  if (kind !== 'KIND_WEBHOOK') throw new ApiError('precondition', 'Only webhook channels have a signing secret')
  const secret = newSecret()
  await ctx.tx
    .updateTable('channel')
    .set({ secret, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .execute()
  await recordAuditEvent(ctx, 'channel.rotate-secret', { kind: 'channel', id })
  return { channel: { ...(await channelOf(ctx, id)), secret } }
}

/** How many events the rule would have matched recently. */
export async function previewChannel(
  ctx: Ctx,
  { rule }: { rule: ChannelRule },
): Promise<{ eventCount: number; days: number }> {
  const days = 30
  const since = new Date(ctx.now.getTime() - days * 86_400_000)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from event
    where account_id = ${ctx.workspace} and at >= ${since} and ${matches(columnsOf(rule))}`.execute(ctx.tx)
  return { eventCount: rows[0]?.count ?? 0, days }
}

/** Whether an event (a row named `event`) matches a rule. */
export function matches(rule: Pick<Row, 'events' | 'min_severity' | 'tag_ids'>) {
  return sql<boolean>`(
    event.kind = any(${rule.events}::text[])
    and (event.score is null or event.score >= ${rule.min_severity})
    and (cardinality(${rule.tag_ids}::uuid[]) = 0 or exists (
      select 1 from target_tag
      where target_tag.account_id = event.account_id
        and target_tag.target_id = any(event.target_ids) and target_tag.tag_id = any(${rule.tag_ids}::uuid[]))))`
}

function columnsOf(rule: ChannelRule) {
  const { events, minSeverity, tagIds, recipients = 'RECIPIENTS_WORKSPACE' } = rule
  return { events: [...new Set(events)], min_severity: minSeverity, tag_ids: tagIds, recipients }
}

function requireRecipients(kind: ChannelKind, { recipients }: ChannelRule): void {
  if (recipients !== 'RECIPIENTS_TEAMS' || kind === 'KIND_EMAIL') return
  throw invalid('channel.rule.recipients', 'Only email channels can send to teams')
}

/** Standard Webhooks: `whsec_` and 24 to 64 random bytes in base64. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

function addressFor(kind: ChannelKind, url: string, egress: EgressPolicy): string {
  const member = 'channel.webhookUrl'
  if (kind === 'KIND_EMAIL') {
    if (url) throw invalid(member, 'An email channel has no URL')
    return ''
  }
  if (!url) throw invalid(member, 'Required')
  const { username, password } = new URL(url)
  if (username || password) throw invalid(member, 'Remove the username and password from the URL')
  const problem = urlError(url, egress)
  if (problem) throw invalid(member, problem)
  return url
}

async function requireTags(ctx: Ctx, tagIds: readonly string[]): Promise<void> {
  if (tagIds.length === 0) return
  const known = await ctx.tx
    .selectFrom('tag')
    .select('id')
    .where('account_id', '=', ctx.workspace)
    .where('id', 'in', tagIds)
    .execute()
  const missing = tagIds.find((id) => !known.some((tag) => tag.id === id))
  if (missing) throw invalid('channel.rule.tagIds', `No tag has the ID ${missing}`)
}

async function requireFreeSlot(ctx: Ctx): Promise<void> {
  await lockForLimit(ctx, 'channels')
  const { count } = await ctx.tx
    .selectFrom('channel')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('account_id', '=', ctx.workspace)
    .executeTakeFirstOrThrow()
  if (count >= channelsMax) throw new ApiError('precondition', `A workspace can have at most ${channelsMax} channels`)
}

async function skipBacklog(ctx: Ctx, id: string): Promise<void> {
  const horizon = await commitHorizon(ctx)
  await sql`update channel set taken_until = ${horizon}::xid8
    where account_id = ${ctx.workspace} and id = ${id}`.execute(ctx.tx)
}
