/** An agent in a closed network while everything around it fails. After each disturbance, the state must be correct. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { getAgent } from '@glacis/contract/agent'
import { startScan } from '@glacis/contract/scan'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Installation, startInstallation } from '../faults/installation.ts'
import { violations } from '../faults/invariants.ts'
import { withClient } from '../faults/query.ts'
import { hasEnded, scanned, scanWhen, type Visitor, visit } from '../lab/visitor.ts'
import {
  agentLog,
  type ClosedNetwork,
  findings,
  installAgent,
  isConnected,
  type Office,
  serverAddress,
  startClosedNetwork,
  until,
} from './closed-network.ts'
import { machinesUnavailable } from './machine.ts'
import { runSecondAgent } from './second-agent.ts'

const person = { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }
const recoveryMsMax = 60_000
const reason = machinesUnavailable()

describe.skipIf(reason !== null)(
  `an agent in a closed network${reason === null ? '' : ` (skipped: ${reason})`}`,
  () => {
    const resources = new AsyncDisposableStack()
    let folder: string
    let url: string
    let installation: Installation
    let network: ClosedNetwork
    let visitor: Visitor
    let office: Office
    let expected: string[]

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'glacis-soak-'))
      resources.defer(() => rm(folder, { recursive: true, force: true }))
      installation = await startInstallation(folder)
      resources.defer(() => installation.stop())
      const port = Number(new URL(installation.url).port)
      url = `http://${serverAddress}:${port}`
      installation.settings = { GLACIS_URL: url }
      await Promise.all([installation.start('api'), installation.start('worker 1')])
      network = await startClosedNetwork(port, folder)
      resources.defer(() => network.stop())
      visitor = visit(installation.url, url)
      await visitor.signUp(person, installation.outbox)
      office = await installAgent(visitor, network, folder)
      expect(await scanned(visitor, office.targetId)).toMatchObject({ status: 'STATUS_COMPLETED' })
      expected = await findings(visitor)
      expect(expected.length).toBeGreaterThan(0)
    })
    afterAll(() => resources.disposeAsync())

    /** Runs a scan with a disturbance in its middle, and expects that it ends as if there had been none. */
    async function survives(disturbance: () => Promise<unknown>): Promise<void> {
      const { scan } = await visitor.call(startScan, { targetId: office.targetId })
      await until('the agent has a job', async () => (await runningLeases()) > 0)
      await disturbance()
      await until('the agent is connected', () => isConnected(visitor, office.agentId), recoveryMsMax)
      expect(await scanWhen(visitor, scan.id, hasEnded, recoveryMsMax)).toMatchObject({
        status: 'STATUS_COMPLETED',
        hostCount: { scannedHosts: 1 },
      })
      await isRight()
    }
    async function isRight(): Promise<void> {
      expect(await findings(visitor)).toEqual(expected)
      const nothing = { tags: [], comments: [], scans: [], invitations: [], statuses: new Map() }
      let found: readonly string[] = []
      await until('the invariants hold', async () => {
        found = await violations(installation.databaseUrl, nothing, { isEnd: true })
        return found.length === 0
      }).catch((cause: unknown) => {
        throw new Error(found.join('\n'), { cause })
      })
    }
    const query = (text: string) =>
      withClient(installation.databaseUrl, (client) => client.query<{ count: number }>(text))
    async function runningLeases(): Promise<number> {
      const { rows } = await query(`select count(*)::int from scan_lease where state = 'STATE_RUNNING'`)
      return rows[0]?.count ?? 0
    }
    async function linkDown(during: () => Promise<unknown>): Promise<void> {
      await network.office.run('ip link set eth0 down')
      await during()
      await network.office.run('ip link set eth0 up')
    }

    it('survives the agent being killed', () =>
      survives(() => network.office.run('kill -9 $(pgrep -f glacis-agent/[a]gent.js)')))

    it('survives the server being killed', () =>
      survives(async () => {
        await Promise.all([installation.kill('api'), installation.kill('worker 1')])
        await Promise.all([installation.start('api'), installation.start('worker 1')])
      }))

    it('survives 10 seconds without a link', () => survives(() => linkDown(() => wait(10_000))))

    it('survives a minute without a link', () => survives(() => linkDown(() => wait(60_000))))

    it('survives ten minutes without a link, on the clock of the server', () =>
      survives(() =>
        linkDown(async () => {
          await query(`update scan_lease set expires_at = expires_at - interval '10 minutes'`)
          await query(`update agent set last_seen_at = last_seen_at - interval '10 minutes'`)
          await until('the agent is disconnected', async () => !(await isConnected(visitor, office.agentId)))
          await until('its lease is lost', async () => (await runningLeases()) === 0)
        }),
      ))

    it('survives the loss of 20% of packets and a delay of 300 ms', async ({ annotate }) => {
      await annotate(`packets are lost and delayed by ${await network.disturb()}`)
      await survives(() => wait(5000))
      expect(await network.droppedPackets()).toBeGreaterThan(0)
      await network.repair()
    })

    it('scans with a clock that is an hour ahead, and reports it', async () => {
      const ahead =
        'data:text/javascript,const real=Date.now;Date=class extends Date{constructor(...a){super(...(a.length?a:[Date.now()]))}static now(){return real()+3600000}}'
      await network.office.run(
        `NODE_OPTIONS='--import "${ahead}"' PATH=/opt/tools:$PATH systemctl restart glacis-agent`,
      )
      await until('the clock is reported', async () => {
        const { agent } = await visitor.call(getAgent, { id: office.agentId })
        return agent.problems?.some((problem) => /clock is 3[56]\d\d seconds ahead/.test(problem)) ?? false
      })
      await survives(() => Promise.resolve())
      await network.office.run('PATH=/opt/tools:$PATH systemctl restart glacis-agent')
    })

    it('rejects a copy of its state on another machine while it runs', async () => {
      const copy = join(folder, 'copy')
      await cp(`/proc/${network.office.pid}/root/var/lib/glacis-agent`, copy, { recursive: true })
      const args = ['--server', url, '--state', copy]
      const { output } = await runSecondAgent(network.uplink, args, /Another process is already running/)
      expect(output).toMatch(/Another process is already running as this agent on office/)
      await survives(() => Promise.resolve())
      expect(await agentLog(network)).not.toMatch(/rejected this agent/)
    })
  },
)
