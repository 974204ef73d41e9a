/** The short part of `closed-network.soak.ts`: installation as the portal shows it, the first scan, and a stolen token. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getAgent } from '@glacis/contract/agent'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../e2e/ports.ts'
import { type Product, startProduct } from '../lab/product.ts'
import { scanned, type Visitor, visit } from '../lab/visitor.ts'
import {
  agentLog,
  canConnect,
  type ClosedNetwork,
  findings,
  installAgent,
  installTools,
  type Office,
  serverAddress,
  startClosedNetwork,
  until,
  weakAddress,
} from './closed-network.ts'
import { machinesUnavailable } from './machine.ts'
import { runSecondAgent } from './second-agent.ts'

const person = { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }
const hasSystemdAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0
const reason = machinesUnavailable()

describe.skipIf(reason !== null)(
  `an agent in a closed network${reason === null ? '' : ` (skipped: ${reason})`}`,
  () => {
    const resources = new AsyncDisposableStack()
    let folder: string
    let product: Product
    let network: ClosedNetwork
    let visitor: Visitor
    let office: Office
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'glacis-closed-'))
      resources.defer(() => rm(folder, { recursive: true, force: true }))
      const port = await freePort()
      const url = `http://${serverAddress}:${port}`
      const settings = { GLACIS_LOG_LEVEL: 'warn', GLACIS_URL: url, GLACIS_SCAN_NETWORKS: '127.0.0.0/8' }
      const dataFolder = join(folder, 'data')
      ;[product, network] = await Promise.all([
        startProduct({ port, dataFolder, settings }),
        startClosedNetwork(port, folder),
      ])
      resources.defer(() => product.stop())
      resources.defer(() => network.stop())
      visitor = visit(`http://localhost:${port}`, url)
      await visitor.signUp(person, dataFolder)
      office = await installAgent(visitor, network, folder)
    })
    afterAll(() => resources.disposeAsync())

    it.skipIf(!hasSystemdAnalyze)('writes a unit that systemd accepts (skipped without systemd-analyze)', async () => {
      const unit = '/etc/systemd/system/glacis-agent.service'
      expect(await network.office.run(`systemd-analyze verify --recursive-errors=no ${unit} 2>&1`)).toBe('')
      const broken = '/etc/systemd/system/broken.service'
      await network.office.run(`sed 's/^NoNewPrivileges=/NoNewPrivilege=/' ${unit} >${broken}`)
      expect(await network.office.run(`systemd-analyze verify --recursive-errors=no ${broken} 2>&1 || true`)).toContain(
        'NoNewPrivilege',
      )
    })

    it('finds what the server cannot reach', async () => {
      expect(await canConnect(weakAddress, 80)).toBe(false)
      expect(await scanned(visitor, office.targetId)).toMatchObject({
        status: 'STATUS_COMPLETED',
        hostCount: { scannedHosts: 1 },
      })
      expect(await findings(visitor)).toContainEqual(
        expect.stringMatching(/^Apache HTTP Server 2\.4\.49: path traversal STATUS_OPEN 1$/),
      )
    })

    it('rejects a stolen enrollment token', async () => {
      const thief = ['--server', product.url, '--token-file', join(folder, 'token'), '--state', join(folder, 'thief')]
      expect(await runSecondAgent(network.uplink, thief)).toMatchObject({
        code: 78,
        output: expect.stringMatching(/already used/),
      })
      expect((await visitor.call(getAgent, { id: office.agentId })).agent).toMatchObject({
        status: 'STATUS_CONNECTED',
        hostname: 'office',
      })
    })

    it('reports a rejected token to the person who installs the agent', async () => {
      await installTools(network.uplink)
      const attempt = network.uplink.run(`export PATH=/opt/tools:$PATH GLACIS_AGENT_TOKEN=${office.token}
        sh -e ${folder}/install`)
      await expect(attempt).rejects.toThrow(/it was already used[^]*The agent is installed, but not connected/)
    })

    it('updates an older agent to the version of the server', async () => {
      const manifest = '/opt/glacis-agent/node_modules/@glacis/agent/package.json'
      await network.office.run(`export PATH=/opt/tools:$PATH
      sed -i 's/"version":"[^"]*"/"version":"0.0.1"/' ${manifest}
      sed -i 's/ --token-file/ --update --token-file/' /etc/systemd/system/glacis-agent.service
      systemctl restart glacis-agent`)
      await until('the update is connected', async () =>
        /Updating to version (?!0\.0\.1)[\s\S]*Connected to/.test(await agentLog(network)),
      )
      const { agent } = await visitor.call(getAgent, { id: office.agentId })
      expect(agent).toMatchObject({ status: 'STATUS_CONNECTED', problems: [] })
      expect(agent.version).not.toBe('0.0.1')
    })
  },
)
