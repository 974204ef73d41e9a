import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { announce, createChannel, listDeliveries, createDeliveries } from '#notifications/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'

const silent = { info() {}, warn() {}, error() {} }
const server = await sharedTestServer()
let workspace: string
let channelId: string
beforeEach(async () => {
  workspace = await server.createWorkspace()
  const channel = { kind: 'KIND_EMAIL', webhookUrl: '' } as const
  const created = await server.as(workspace, (ctx) => createChannel(ctx, { egress: 'all' }, { channel }), {
    actor: person,
  })
  channelId = created.channel.id
})

/** Creates an agent that is connected or not. */
async function agent(isConnected: boolean): Promise<string> {
  const id = newId()
  await server.as(workspace, ({ tx, now }) =>
    tx
      .insertInto('agent')
      .values({
        account_id: workspace,
        id,
        name: 'Branch',
        latency_ms: null,
        connection_id: isConnected ? newId() : null,
        instance_id: null,
        last_seen_at: now,
        created_at: now,
        updated_at: now,
      })
      .execute(),
  )
  return id
}

/** Creates an active scan. A scan with `resumeAt` waits for its allowed hours. */
async function scanning(resumeAt: Date | null, agentId: string | null = null): Promise<void> {
  const target = newId()
  await server.as(workspace, async ({ tx, now }) => {
    const times = { created_at: now, updated_at: now }
    const targetFields = { name: 'One', address: '127.71.30.1', kind: 'IPV4' as const }
    await tx
      .insertInto('target')
      .values({ account_id: workspace, id: target, ...targetFields, schedule_period: 'PERIOD_WEEKLY', ...times })
      .execute()
    await tx
      .insertInto('scan')
      .values({
        account_id: workspace,
        id: newId(),
        target_id: target,
        type: 'TYPE_MANUAL',
        status: resumeAt ? 'STATUS_CREATED' : 'STATUS_RUNNING',
        phase: resumeAt ? 'PHASE_WAITING' : 'PHASE_DISCOVERY',
        started_by: 'test',
        started_at: null,
        completed_at: null,
        last_activity_at: now,
        resume_at: resumeAt,
        agent_id: agentId,
        ...times,
      })
      .execute()
  })
}

const happened = (score: number, minutesAgo: number, count = 1) =>
  server.as(
    workspace,
    (ctx) =>
      announce(
        ctx,
        Array.from({ length: count }, () => ({
          kind: 'EVENT_ISSUE_OPENED' as const,
          title: 'news',
          score,
          resource: { kind: 'issue' as const, id: newId() },
        })),
      ),
    { now: new Date(Date.now() - minutesAgo * 60_000) },
  )
const messageCounts = async () => {
  await createDeliveries(server.database, server.jobs, silent, workspace)
  const { deliveries } = await server.as(workspace, (ctx) => listDeliveries(ctx, { id: channelId }))
  return deliveries.map((item) => item.eventCount)
}

describe('notifications', () => {
  it('are sent when the scan has ended', async () => {
    await scanning(null)
    await happened(9, 1)
    expect(await messageCounts()).toEqual([])
  })
  it('are sent at most 15 minutes after the first event', async () => {
    await scanning(null)
    await happened(7, 20)
    await happened(9, 1, 50)
    expect(await messageCounts()).toEqual([51])
  })
  it('are sent immediately while a scan waits for its allowed hours', async () => {
    await scanning(new Date(Date.now() + 3_600_000))
    await happened(9, 1)
    expect(await messageCounts()).toEqual([1])
  })
  it.each([
    ['are sent immediately while a scan waits for an agent that is not connected', false, [1]],
    ['are sent when the scan of a connected agent has ended', true, []],
  ])('%s', async (_, isConnected, expected) => {
    await scanning(null, await agent(isConnected))
    await happened(9, 1)
    expect(await messageCounts()).toEqual(expected)
  })
})
