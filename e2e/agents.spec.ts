/** Lifecycle of an agent: install from the server's archive, connect, kill during a scan, restart, stop, and delete. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { listAgentConnections, listAgents } from '@glacis/contract/agent'
import { listHosts } from '@glacis/contract/host'
import { cancelScan, getScan, type Scan, startScan } from '@glacis/contract/scan'
import { createTarget, listTargets } from '@glacis/contract/target'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scanWhen, type Visitor } from '../lab/visitor.ts'
import { startTestEnvironment, type TestEnvironment } from './test-environment.ts'

const inside = '127.61.20.2'
const name = 'zrh-office-2'
const scanMs = 300_000

let stage: TestEnvironment
let page: Page
let visitor: Visitor
let greeter: Server
/** The agent's home directory. */
let home: string
let agent: RunningAgent

beforeAll(async () => {
  stage = await startTestEnvironment('agents')
  home = await mkdtemp(join(tmpdir(), 'glacis-agent-home-'))
  greeter = createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.9\r\n')).listen(2222, inside)
  await once(greeter, 'listening')
  ;({ visitor } = stage)
  page = await stage.newPage(visitor)
}, 120_000)
afterAll(async () => {
  agent?.process.kill('SIGKILL')
  await stage.close()
  greeter.close()
  await rm(home, { recursive: true, force: true })
})

interface RunningAgent {
  readonly process: ChildProcess
  /** Resolves with the line once it has been logged. */
  said(words: RegExp): Promise<string>
}

/** Starts the unpacked agent. */
function startAgent(): RunningAgent {
  const args = ['agent.js', '--server', stage.url, '--token-file', 'token', '--state', 'state']
  const child = spawn(process.execPath, args, { cwd: home, env: { HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      for (const check of waiting) check()
    })
  }
  return {
    process: child,
    said(wanted) {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const check = () => {
        const line = lines.find((text) => wanted.test(text))
        if (line === undefined) return
        waiting.delete(check)
        resolve(line)
      }
      waiting.add(check)
      child.once('exit', () => reject(new Error(`The agent ended:\n${lines.join('\n')}`)))
      check()
      return promise
    },
  }
}

it('creates an agent, shows its token once, and turns green when it connects', async () => {
  await page.goto('/agents')
  await page.getByText('No agents yet').waitFor()
  await page.getByRole('button', { name: 'Add agent' }).first().click()
  await page.waitForURL(/\/agents\?create=true/)
  const panel = page.getByRole('dialog', { name: 'New agent' })
  await panel.getByLabel('Name').fill(name)
  await panel.getByRole('button', { name: 'Create agent' }).click()
  const ready = page.getByRole('dialog', { name: `${name} is ready to install` })
  const token = await ready.getByLabel('Agent token', { exact: true }).innerText()
  expect(token).toMatch(/^gla_/)
  const command = await ready.getByLabel('Install command', { exact: true }).innerText()
  expect(command).toContain(`curl -fsSL ${stage.url}/downloads/glacis-agent.tgz`)
  expect(command).not.toContain(token)
  await ready.getByText('Waiting for the first connection').waitFor()

  const archive = await fetch(`${stage.url}/downloads/glacis-agent.tgz`)
  await writeFile(join(home, 'agent.tgz'), Buffer.from(await archive.arrayBuffer()))
  await promisify(execFile)('tar', ['xzf', 'agent.tgz'], { cwd: home })
  await writeFile(join(home, 'token'), token, { mode: 0o600 })
  agent = startAgent()
  await agent.said(/^Connected to /)
  await ready.getByText(`${name} is connected`).waitFor()
  await ready.getByRole('button', { name: 'Done' }).click()
  await page
    .getByRole('row', { name: new RegExp(name) })
    .getByText('Connected')
    .waitFor()
  expect(await page.content()).not.toContain(token)
  expect((await stat(join(home, 'state'))).mode & 0o777).toBe(0o700)
})

it(
  'scans a target from inside',
  async () => {
    await page.goto('/scope?create=true')
    const panel = page.getByRole('dialog', { name: 'New target' })
    await panel.getByLabel('Name').fill('Office')
    await panel.getByLabel('Address').fill(`${inside}/30`)
    await panel.getByLabel('Agent').selectOption({ label: name })
    await panel.getByRole('button', { name: 'Add target' }).click()
    await page.getByRole('link', { name: /Office/ }).click()
    await page.getByRole('button', { name: 'Start scan' }).first().click()
    await page.getByRole('button', { name: 'Cancel scan' }).first().waitFor()
    await page.getByRole('button', { name: 'Start scan' }).first().waitFor({ timeout: scanMs })
    const { targets } = await visitor.call(listTargets, {})
    const { hosts } = await visitor.call(listHosts, { filter: { targetId: targets[0]?.id ?? '' } })
    expect(hosts.map((host) => host.address)).toEqual([inside])
    expect(hosts[0]?.services?.map((service) => service.port)).toEqual([2222])
    await page.goto('/agents')
    await page.getByRole('link', { name }).click()
    await page.getByRole('table', { name: 'Jobs' }).getByText('Done').waitFor()
    await page
      .getByRole('table', { name: 'Targets' })
      .getByRole('link', { name: /Office/ })
      .waitFor()
  },
  scanMs + 60_000,
)

async function wideScan(): Promise<Scan> {
  const [first] = (await visitor.call(listAgents, {})).agents
  const { target } = await visitor.call(createTarget, {
    name: `Wide ${Date.now()}`,
    address: '127.61.20.0/25',
    schedule: { period: 'PERIOD_MONTHLY' },
    agent: { id: first?.id ?? '' },
  })
  const { scan } = await visitor.call(startScan, { targetId: target.id })
  return scanWhen(visitor, scan.id, (now) => now.status === 'STATUS_RUNNING', 30_000)
}

it('stops on the agent within seconds of being canceled', async () => {
  const { id } = await wideScan()
  await visitor.call(cancelScan, { id })
  await agent.said(/canceled\.$/)
  expect((await visitor.call(getScan, { id })).scan.status).toBe('STATUS_CANCELLED')
})

it('disconnects when stopped, and shows its targets as waiting', async () => {
  const exit = once(agent.process, 'exit')
  agent.process.kill('SIGTERM')
  expect((await exit)[0]).toBe(0)
  const [first] = (await visitor.call(listAgents, {})).agents
  expect(first?.status).toBe('STATUS_DISCONNECTED')
  const { connections } = await visitor.call(listAgentConnections, { id: first?.id ?? '' })
  expect(connections[0]?.reason).toBe('REASON_STOPPED')
  await page.goto('/scope')
  await page.getByRole('link', { name: /Office/ }).click()
  await page.getByText(/Scans of this target wait until it connects/).waitFor()
})

it('is deleted with its key, and its targets need another agent', async () => {
  await page.goto('/agents')
  await page.getByRole('link', { name }).click()
  await page.getByRole('button', { name: 'Delete agent' }).click()
  const dialog = page.getByRole('dialog', { name: `Delete ${name}` })
  await dialog.getByText("The targets stay in scope but aren't scanned until you assign another agent.").waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(/\/agents$/)
  const refused = startAgent()
  const [code] = await once(refused.process, 'exit')
  expect(code).toBe(78)
  await page.goto('/scope')
  await page.getByRole('link', { name: /Office/ }).click()
  await page.getByText(`Its agent ${name} was deleted.`).waitFor()
  await page.getByRole('button', { name: 'Choose agent' }).click()
  const panel = page.getByRole('dialog', { name: 'Edit Office' })
  await panel.getByLabel('Agent').selectOption({ label: 'None (scan from this server)' })
  await panel.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText(`Its agent ${name} was deleted.`).waitFor({ state: 'detached' })
})

it('logs no browser errors', () => {
  expect(stage.browserErrors).toEqual([])
})
