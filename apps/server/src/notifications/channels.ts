import { randomBytes } from 'node:crypto'
import type * as contract from '@glacis/contract/channel'
import type { Channel, ChannelKind, ChannelRule } from '@glacis/contract/channel'
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import { record } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { takeTurn } from '#database/turn.ts'
import { invalid, Refusal } from '#errors.ts'
import { horizonOf } from '#notifications/announce.ts'
import { channelOf, describe } from '#notifications/describe.ts'
import { lock } from '#notifications/lock.ts'
import { type Gate, refusalOf } from '#notifications/send.ts'
import { type Selectable, sql } from 'kysely'

type Row = Selectable<Tables['channel']>

/** Channels of an account, at most. */
const channelsMax = 20
/** What a new channel tells of unless it says otherwise: what is new, back again or could not be looked at. */
const usualRule: ChannelRule = {
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
    .where('account_id', '=', ctx.account)
    .orderBy('failures', 'desc')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return { channels: await describe(ctx, rows) }
}

interface Place {
  /** Where messages may go. */
  readonly gate: Gate
}

/**
 * @throws Refusal `invalid` for an address that a kind needs and does not have, for one that nothing will ever be
 *   sent to, or a tag that does not exist
 */
export async function createChannel(
  ctx: Ctx,
  { gate }: Place,
  { channel }: ParsedInputOf<typeof contract.createChannel>,
): Promise<{ channel: Channel }> {
  const url = addressFor(channel.kind, channel.webhookUrl, gate)
  const rule = channel.rule ?? usualRule
  await mustKnowTags(ctx, rule.tagIds)
  await mustHaveRoom(ctx)
  const secret = newSecret()
  const id = newId()
  await ctx.tx
    .insertInto('channel')
    .values({
      account_id: ctx.account,
      id,
      kind: channel.kind,
      webhook_url: url,
      secret,
      ...columnsOf(rule),
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .execute()
  await record(ctx, 'channel.create', { kind: 'channel', id }, { kind: channel.kind })
  const made = await channelOf(ctx, id)
  return { channel: channel.kind === 'KIND_WEBHOOK' ? { ...made, secret } : made }
}

/** @throws Refusal `not_found`; `invalid` for a path that cannot be changed, a wrong address or an unknown tag */
export async function updateChannel(
  ctx: Ctx,
  { gate }: Place,
  { id, channel, updateMask }: ParsedInputOf<typeof contract.updateChannel>,
): Promise<{ channel: Channel }> {
  const before = await lock(ctx, id)
  const changes: Partial<Row> = {}
  for (const path of updateMask.paths) Object.assign(changes, changeOf(path, before, channel, gate))
  const isTurnedOn = updateMask.paths.includes('isEnabled') && channel.isEnabled
  if (isTurnedOn && before.kind !== 'KIND_EMAIL' && (changes.webhook_url ?? before.webhook_url) === '')
    throw invalid('channel.webhookUrl', 'A channel without an address cannot be turned on')
  if (changes.tag_ids) await mustKnowTags(ctx, changes.tag_ids)
  await ctx.tx
    .updateTable('channel')
    .set({ ...changes, updated_at: ctx.now })
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .execute()
  // Nobody wants the backlog of the time in which a channel was off.
  if (changes.is_enabled && !before.is_enabled) await skipBacklog(ctx, id)
  if (changes.is_enabled === false) await endPending(ctx, id)
  await record(ctx, 'channel.update', { kind: 'channel', id }, { paths: updateMask.paths })
  return { channel: await channelOf(ctx, id) }
}

/** Whoever turns a channel off hears nothing more through it, unless they send a delivery again. */
async function endPending(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx
    .updateTable('delivery')
    .set({ state: 'STATE_FAILED', error: 'The channel was turned off before this arrived', completed_at: ctx.now })
    .where('account_id', '=', ctx.account)
    .where('channel_id', '=', id)
    .where('state', '=', 'STATE_PENDING')
    .execute()
}

function changeOf(
  path: string,
  before: Row,
  given: ParsedInputOf<typeof contract.updateChannel>['channel'],
  gate: Gate,
): Partial<Row> {
  if (path === 'webhookUrl' && given.webhookUrl !== undefined) {
    return given.webhookUrl === '' && before.kind !== 'KIND_EMAIL'
      ? { webhook_url: '', is_enabled: false }
      : { webhook_url: addressFor(before.kind, given.webhookUrl, gate), failures: 0 }
  }
  if (path === 'rule' && given.rule) return columnsOf(given.rule)
  if (path === 'isEnabled' && given.isEnabled !== undefined) {
    return { is_enabled: given.isEnabled, failures: 0 }
  }
  if (['webhookUrl', 'rule', 'isEnabled'].includes(path))
    throw invalid(`channel.${path}`, 'The mask names it, but it is missing')
  throw invalid('updateMask.paths', `${path} cannot be changed; webhookUrl, rule and isEnabled can`)
}

/** @throws Refusal `not_found` */
export async function deleteChannel(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  await lock(ctx, id)
  await ctx.tx.deleteFrom('channel').where('account_id', '=', ctx.account).where('id', '=', id).execute()
  await record(ctx, 'channel.delete', { kind: 'channel', id })
  return {}
}

/** @throws Refusal `not_found`; `precondition` for a kind that signs nothing */
export async function rotateSecret(ctx: Ctx, { id }: { id: string }): Promise<{ channel: Channel }> {
  const { kind } = await lock(ctx, id)
  if (kind !== 'KIND_WEBHOOK') throw new Refusal('precondition', 'Only webhooks are signed')
  const secret = newSecret()
  await ctx.tx
    .updateTable('channel')
    .set({ secret, updated_at: ctx.now })
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .execute()
  await record(ctx, 'channel.rotate-secret', { kind: 'channel', id })
  return { channel: { ...(await channelOf(ctx, id)), secret } }
}

/** How much a rule would have told of, so that nobody is flooded by surprise. */
export async function previewChannel(
  ctx: Ctx,
  { rule }: { rule: ChannelRule },
): Promise<{ eventCount: number; days: number }> {
  const days = 30
  const since = new Date(ctx.now.getTime() - days * 86_400_000)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from event
    where account_id = ${ctx.account} and at >= ${since} and ${matches(columnsOf(rule))}`.execute(ctx.tx)
  return { eventCount: rows[0]?.count ?? 0, days }
}

/** Whether an event (a row named `event`) falls under a rule. */
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
  return { events: [...new Set(rule.events)], min_severity: rule.minSeverity, tag_ids: rule.tagIds }
}

/** Standard Webhooks: 24 to 64 random bytes in base64 behind `whsec_`. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

function addressFor(kind: ChannelKind, url: string, gate: Gate): string {
  const member = 'channel.webhookUrl'
  if (kind === 'KIND_EMAIL') {
    if (url) throw invalid(member, 'E-mail goes to the address of the account and takes no URL')
    return ''
  }
  if (!url) throw invalid(member, 'Required')
  const { username, password } = new URL(url)
  if (username || password) throw invalid(member, 'Names and passwords do not belong into the URL')
  const refused = refusalOf(url, gate)
  if (refused) throw invalid(member, refused)
  return url
}

async function mustKnowTags(ctx: Ctx, tagIds: readonly string[]): Promise<void> {
  if (tagIds.length === 0) return
  const known = await ctx.tx
    .selectFrom('tag')
    .select('id')
    .where('account_id', '=', ctx.account)
    .where('id', 'in', tagIds)
    .execute()
  const missing = tagIds.find((id) => !known.some((tag) => tag.id === id))
  if (missing) throw invalid('channel.rule.tagIds', `There is no tag ${missing}`)
}

async function mustHaveRoom(ctx: Ctx): Promise<void> {
  await takeTurn(ctx, 'channels')
  const { count } = await ctx.tx
    .selectFrom('channel')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('account_id', '=', ctx.account)
    .executeTakeFirstOrThrow()
  if (count >= channelsMax) throw new Refusal('precondition', `An account has at most ${channelsMax} channels`)
}

async function skipBacklog(ctx: Ctx, id: string): Promise<void> {
  const horizon = await horizonOf(ctx)
  await sql`update channel set taken_until = ${horizon}::xid8
    where account_id = ${ctx.account} and id = ${id}`.execute(ctx.tx)
}
