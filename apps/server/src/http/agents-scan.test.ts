import { deleteAgent, listAgentJobs } from '@glacis/contract/agent'
import type { Observation } from '@glacis/contract/runner'
import { describe, expect, it } from 'vitest'
import { host, leaseBatch, openAgents, service, sweepAgents } from '#testing/agents.ts'
import { sql } from 'kysely'

const {
  server,
  scanning,
  me,
  as,
  asMe,
  asAgent,
  newAgent,
  connectWith,
  connected,
  waitingScan,
  scanOf,
  leaseJob,
  report,
  progress,
  ageLeasesAndHeartbeats,
} = openAgents()

describe('a scan by an agent', () => {
  it("SEC-F2 waits with a reason, is leased to its agent only, and completes with the agent's results", async () => {
    const { id, token } = await newAgent('bern-dmz-1')
    const { scanId } = await waitingScan(id)
    const waitingScanFields = {
      phase: 'PHASE_WAITING',
      failureReason: 'Waiting for agent bern-dmz-1, which has never connected.',
    }
    expect(await scanOf(scanId)).toMatchObject({ status: 'STATUS_CREATED', progress: waitingScanFields })
    const { key } = (await connectWith(token)).body
    const job = await leaseJob(key)
    expect(job).toMatchObject({
      hosts: [{ address: '127.61.1.1' }],
      settings: { profile: 'gentle' },
      packs: 'd'.repeat(64),
    })
    expect((await progress(key, job.id, { phase: 'PHASE_PORTS', hostsDone: 1 })).body).toEqual({ isCancelled: false })
    expect(await scanOf(scanId)).toMatchObject({
      status: 'STATUS_RUNNING',
      agent: { id },
      progress: { phase: 'PHASE_PORTS', hostsDone: 1 },
    })
    expect((await report(key, job.id, [host('127.61.1.1'), service('127.61.1.1')])).status).toBe(200)
    expect(await scanOf(scanId)).toMatchObject({ status: 'STATUS_COMPLETED', hostCount: { scannedHosts: 1 } })
    const { jobs } = listAgentJobs.result.parse((await asMe('GET', `/v1/agents/${id}/jobs`)).body)
    expect(jobs).toMatchObject([{ state: 'STATE_DONE', hostCount: 1, targetName: 'Inside', error: '' }])
  })

  it('SEC-F2 writes a result in parts after the last part, and ignores duplicates', async () => {
    const { id, key } = await connected()
    const { scanId } = await waitingScan(id)
    const job = await leaseJob(key)
    const parts = [
      { part: 0, isLast: false, observations: [host('127.61.1.1')] },
      { part: 1, isLast: true, observations: [service('127.61.1.1')] },
    ]
    expect((await report(key, job.id, [], parts[1])).status).toBe(400)
    expect((await report(key, job.id, [], parts[0])).status).toBe(200)
    expect((await report(key, job.id, [], parts[0])).status).toBe(200)
    expect((await scanOf(scanId)).status).toBe('STATUS_RUNNING')
    expect((await report(key, job.id, [], parts[1])).status).toBe(200)
    const before = await scanOf(scanId)
    expect((await report(key, job.id, [host('127.61.1.1')])).status).toBe(200)
    expect(await scanOf(scanId)).toEqual(before)
    const { rows } = await sql`select 1 from scan_lease_part`.execute(server().database.owner)
    expect(rows).toEqual([])
  })

  it('SEC-D3 retries a failed batch, and removes NULs from the results', async () => {
    const { id, key } = await connected('oops')
    const { scanId } = await waitingScan(id)
    const failed = await leaseJob(key)
    await report(key, failed.id, [], { error: 'the thread\0 ended with 1' })
    const job = await leaseJob(key)
    const nasty: Observation = { ...host('127.61.1.1'), kind: 'host', reason: 'no\0pe', names: ['a\0b'] } as Observation
    expect((await report(key, job.id, [nasty, service('127.61.1.1')])).status).toBe(200)
    expect((await scanOf(scanId)).status).toBe('STATUS_COMPLETED')
    const { jobs } = listAgentJobs.result.parse((await asMe('GET', `/v1/agents/${id}/jobs`)).body)
    expect(jobs.map((item) => [item.state, item.error])).toEqual([
      ['STATE_DONE', ''],
      ['STATE_FAILED', 'the thread ended with 1'],
    ])
  })

  it('leases two batches to two concurrent requests', async () => {
    const { id, key } = await connected()
    await waitingScan(id, '127.61.1.0/25')
    const [first, second] = await Promise.all([leaseJob(key), leaseJob(key)])
    expect(first.id).not.toBe(second.id)
    expect(first.hosts[0]).not.toEqual(second.hosts[0])
  })

  it('SEC-F2 rejects malformed results and results for other addresses', async () => {
    const { id, key } = await connected()
    const { scanId } = await waitingScan(id)
    const job = await leaseJob(key)
    const foreign = await report(key, job.id, [host('127.61.1.1'), service('127.61.9.9')])
    expect(foreign).toMatchObject({ status: 400, body: { message: '127.61.9.9 is not part of this job' } })
    const shapeless = { part: 0, isLast: true, observations: [{ kind: 'finding' }] }
    expect((await asAgent(key, 'POST', `/v1/agent/jobs/${job.id}/result`, shapeless)).status).toBe(400)
    expect((await scanOf(scanId)).status).toBe('STATUS_RUNNING')
  })

  it('waits for the allowed hours of its target', async () => {
    const { id, key } = await connected()
    const { scanId } = await waitingScan(id)
    const reason = 'Waits for the allowed hours'
    const resume_at = new Date(Date.now() + 3_600_000)
    const { account_id: workspace } = await server()
      .database.owner.updateTable('scan')
      .set({ resume_at, reason })
      .where('id', '=', scanId)
      .returning('account_id')
      .executeTakeFirstOrThrow()
    expect((await scanOf(scanId)).progress?.failureReason).toBe(reason)
    expect(await server().as(workspace, (ctx) => leaseBatch(ctx, scanning(), id, 'd'))).toBeNull()
    expect((await asMe('POST', `/v1/scans/${scanId}/resume`, {})).status).toBe(200)
    const job = await leaseJob(key)
    await report(key, job.id, [host('127.61.1.1')])
    expect((await scanOf(scanId)).status).toBe('STATUS_COMPLETED')
  })

  it('lets the agent resolve hostnames', async () => {
    const { id, key } = await connected()
    const { scanId } = await waitingScan(id, 'intranet.example')
    const job = await leaseJob(key)
    expect(job.hosts).toEqual([{ address: 'intranet.example', names: ['intranet.example'] }])
    const observations = [host('127.61.1.2', ['intranet.example']), service('127.61.1.2')]
    expect((await report(key, job.id, [...observations, service('127.61.1.3')])).status).toBe(400)
    expect((await report(key, job.id, observations)).status).toBe(200)
    expect(await scanOf(scanId)).toMatchObject({ status: 'STATUS_COMPLETED', hostCount: { scannedHosts: 1 } })
  })

  it('reports a cancellation to the agent and ignores later results', async () => {
    const { id, key } = await connected()
    const { scanId } = await waitingScan(id)
    const job = await leaseJob(key)
    await asMe('POST', `/v1/scans/${scanId}/cancel`, {})
    expect((await progress(key, job.id)).body).toEqual({ isCancelled: true })
    await report(key, job.id, [host('127.61.1.1'), service('127.61.1.1')])
    expect(await scanOf(scanId)).toMatchObject({ status: 'STATUS_CANCELLED', hostCount: { scannedHosts: 0 } })
  })

  it('SEC-G1 retries a batch once after a lost lease, then fails with the reason', async () => {
    const { id, key } = await connected('lausanne-dc')
    const { scanId } = await waitingScan(id)
    const first = await leaseJob(key)
    await ageLeasesAndHeartbeats(61)
    await sweepAgents(scanning())
    expect(await scanOf(scanId)).toMatchObject({
      status: 'STATUS_RUNNING',
      progress: { failureReason: 'Waiting for agent lausanne-dc, which is disconnected.' },
    })
    expect((await progress(key, first.id)).status).toBe(409)
    expect((await report(key, first.id, [host('127.61.1.1')])).status).toBe(409)
    await leaseJob(key)
    await ageLeasesAndHeartbeats(61)
    await sweepAgents(scanning())
    expect(await scanOf(scanId)).toMatchObject({
      status: 'STATUS_FAILED',
      progress: { failureReason: 'Agent lausanne-dc failed batch 1 twice: the agent stopped responding' },
    })
  })

  it('ends a lease that was granted while the clock was an hour ahead', async () => {
    const { id, key } = await connected()
    const { scanId } = await waitingScan(id)
    const lost = await leaseJob(key)
    await ageLeasesAndHeartbeats(-3600)
    await sweepAgents(scanning())
    const next = await leaseJob(key)
    expect(next).toMatchObject({ scanId, hosts: lost.hosts })
    expect(next.id).not.toBe(lost.id)
    expect((await report(key, lost.id, [host('127.61.1.1')])).status).toBe(409)
    await report(key, next.id, [host('127.61.1.1')])
    expect((await scanOf(scanId)).status).toBe('STATUS_COMPLETED')
  })

  it('returns the batch without counting a loss if the agent stops cleanly', async () => {
    const { id, key } = await connected()
    const { scanId } = await waitingScan(id)
    for (let round = 0; round < 3; round++) {
      await leaseJob(key)
      await asAgent(key, 'POST', '/v1/agent/disconnect', {})
      await connectWith(key)
    }
    const job = await leaseJob(key)
    await report(key, job.id, [host('127.61.1.1')])
    expect((await scanOf(scanId)).status).toBe('STATUS_COMPLETED')
  })

  it("fails if its agent is deleted, and its target can't be scanned", async () => {
    const { id, key } = await connected('old')
    const { scanId, targetId } = await waitingScan(id)
    await leaseJob(key)
    expect(deleteAgent.result.parse((await asMe('DELETE', `/v1/agents/${id}`)).body)).toEqual({})
    expect((await asAgent(key, 'GET', '/v1/agent/jobs')).status).toBe(401)
    expect(await scanOf(scanId)).toMatchObject({ status: 'STATUS_FAILED' })
    const target = await asMe('GET', `/v1/targets/${targetId}`)
    expect(target.body).toMatchObject({ target: { formerAgent: { name: 'old' } } })
    expect((await asMe('POST', '/v1/scans', { targetId })).status).toBe(400)
    const change = { agent: null, updateMask: { paths: ['agent'] } }
    await asMe('PATCH', `/v1/targets/${targetId}`, change)
    expect((await asMe('POST', '/v1/scans', { targetId })).status).toBe(200)
  })

  it('continues with the replacement of a deleted agent', async () => {
    const old = await connected('old')
    const fresh = await connected('fresh')
    const { scanId, targetId } = await waitingScan(old.id)
    await leaseJob(old.key)
    await asMe('DELETE', `/v1/agents/${old.id}?replacementId=${fresh.id}`)
    const job = await leaseJob(fresh.key)
    await report(fresh.key, job.id, [host('127.61.1.1')])
    expect((await scanOf(scanId)).status).toBe('STATUS_COMPLETED')
    const list = await asMe('GET', `/v1/targets?filter.agentId=${fresh.id}`)
    expect(list.body).toMatchObject({ targets: [{ id: targetId, agent: { name: 'fresh' } }] })
  })

  it('SEC-F2 is hidden from other agents', async () => {
    const mine = await connected()
    const { scanId } = await waitingScan(mine.id)
    const job = await leaseJob(mine.key)
    const second = await connected('second')
    const otherAgent = await connected('other-agent', `${me()}-other`)
    for (const { key } of [second, otherAgent]) {
      expect((await progress(key, job.id)).status).toBe(404)
      expect((await report(key, job.id, [host('127.61.1.1')])).status).toBe(404)
    }
    expect((await scanOf(scanId)).status).toBe('STATUS_RUNNING')
    expect((await as(`${me()}-other`, 'GET', `/v1/agents/${mine.id}`)).status).toBe(404)
  })
})
