import { expect, it } from 'vitest'
import { host, openAgents, service } from '#testing/agents.ts'

const { asMe, connected, waitingScan, planned, scanOf, leaseJob, report } = openAgents()

it("fails a scan if the agent can't resolve the hostname, and shows the reason on the target", async () => {
  const { id, key } = await connected()
  const { scanId, targetId } = await waitingScan(id, 'gone.example')
  const job = await leaseJob(key)
  const silent = { reached: false, reason: 'the name does not exist' }
  expect((await report(key, job.id, [{ ...host('gone.example', ['gone.example']), ...silent }])).status).toBe(200)
  const failureReason = 'Agent zrh-dc1 could not resolve gone.example: the name does not exist'
  expect(await scanOf(scanId)).toMatchObject({ status: 'STATUS_FAILED', progress: { failureReason } })
  expect((await asMe('GET', `/v1/scans/${scanId}/hosts`)).status).toBe(200)
  const target = async () => (await asMe('GET', `/v1/targets/${targetId}`)).body
  expect(await target()).toHaveProperty('target.unresolvedSinceTime')

  await planned(targetId)
  const next = await leaseJob(key)
  expect((await report(key, next.id, [host('127.61.1.4', ['gone.example']), service('127.61.1.4')])).status).toBe(200)
  expect(await target()).not.toHaveProperty('target.unresolvedSinceTime')
})

it.each(['intranet.example', 'fe80::1%eth0'])('rejects results for %s, which is not an address', async (address) => {
  const { id, key } = await connected()
  await waitingScan(id, 'intranet.example')
  const job = await leaseJob(key)
  const observations = [host(address, ['intranet.example']), service(address)]
  expect((await report(key, job.id, observations)).status).toBe(400)
})
