/** Runs faults under load and checks the invariants after each. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createAgent } from '@glacis/contract/agent'
import { createChannel } from '@glacis/contract/channel'
import { createTarget } from '@glacis/contract/target'
import { startLab } from '../lab/servers.ts'
import { visit, type Visitor } from '../lab/visitor.ts'
import { startAgent } from './agent.ts'
import { createClock } from './clock.ts'
import { type Fault, faults, type Stage } from './faults.ts'
import { type Installation, processNames, startInstallation } from './installation.ts'
import { type Received, violations } from './invariants.ts'
import { type Load, startLoad } from './load.ts'
import { createRandom } from './random.ts'
import { type Receiver, startMailServer, startWebhookReceiver } from './receivers.ts'

export interface Outcome {
  readonly fault: string
  readonly recoveredAfterMs: number
  /** Acknowledged since the start. */
  readonly work: Work
  readonly problems: readonly string[]
}

const person = { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478', first: 'Nora', last: 'Ammann' }
/** Nothing else in this repository uses it. */
const network = '127.61.40.0/28'
/** The database is restarted with a delay, and is given up after five crashes in a minute. */
const recoveryMsMax = 60_000
const pauseAfterCrashMs = 13_000
/** Scans, retries of deliveries, and leases have to end within this time after the last fault. */
const settleMsMax = 240_000
const pollMs = 250

/**
 * @param count of faults, chosen by the seed
 * @param report receives every outcome as it is known
 * @returns all outcomes; the last one is the state after everything has settled
 */
export async function runFaults(count: number, seed: number, report: (outcome: Outcome) => void): Promise<Outcome[]> {
  await using resources = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'glacis-faults-'))
  resources.defer(() => rm(folder, { recursive: true, force: true }))
  const lab = await startLab({ network })
  resources.defer(() => lab.stop())
  const [webhooks, mail] = [await startWebhookReceiver(), await startMailServer()]
  resources.defer(() => webhooks.close())
  resources.defer(() => mail.close())
  const installation = await startInstallation(folder)
  resources.defer(() => installation.stop())
  const clock = await createClock(folder)
  installation.settings = { ...clock?.environment }
  const random = createRandom(seed)
  const { visitor, agent } = await beginWork(installation, mail, folder)
  resources.defer(() => agent.process.kill())
  const stage: Stage = { clock, installation, random, webhooks, mail, agent: agent.process }
  const targetIds = await createTargets(visitor, webhooks, agent.id)
  const load = startLoad(visitor, targetIds, random)
  const isAtWork = () => Promise.resolve(Object.values(workDone(load, webhooks)).every((count) => count > 0))
  if (!(await until(isAtWork, settleMsMax)))
    throw new Error(`The load has not begun: ${JSON.stringify(workDone(load, webhooks))}`)

  const outcomes: Outcome[] = []
  const add = (outcome: Outcome) => {
    outcomes.push(outcome)
    report(outcome)
  }
  // Each fault at least once before any is repeated by chance.
  const names = Object.keys(faults).filter((name) => clock || !name.includes('clock'))
  for (let index = 0; index < count; index++) {
    const name = index < names.length ? (names[(index + seed) % names.length] ?? '') : random.pick(names)
    add(await provoke(name, faults[name], stage, load))
  }
  await load.stop()
  add(await settle(stage, load))
  return outcomes
}

/** Signs up while emails are written to files, then starts all processes, and an agent. */
async function beginWork(installation: Installation, mail: Receiver, folder: string) {
  await installation.start('api')
  await installation.start('worker 1')
  const visitor = visit(installation.url)
  await visitor.signUp(person, installation.outbox)
  await installation.kill('worker 1')
  installation.settings = { ...installation.settings, GLACIS_SMTP_URL: mail.url }
  await Promise.all([installation.start('worker 1'), installation.start('worker 2')])
  const { agent } = await visitor.call(createAgent, { agent: { name: 'Branch office' } })
  const running = await startAgent(installation.url, agent.token ?? '', join(folder, 'agent'))
  return { visitor, agent: { id: agent.id, process: running } }
}

/** Three targets that the workers scan, one that the agent scans, and a webhook that reports them. */
async function createTargets(visitor: Visitor, webhooks: Receiver, agentId: string): Promise<string[]> {
  const create = async (last: number, more: object = {}) => {
    const address = `127.61.40.${last}`
    const schedule = { period: 'PERIOD_DAILY' as const }
    const { target } = await visitor.call(createTarget, { name: address, address, schedule, tags: [], ...more })
    return target.id
  }
  const targetIds = [await create(1), await create(4), await create(7), await create(5, { agent: { id: agentId } })]
  const events = ['EVENT_ISSUE_OPENED', 'EVENT_SCAN_COMPLETED', 'EVENT_ISSUE_RESOLVED'] as const
  const rule = { events: [...events], minSeverity: 0, tagIds: [] }
  await visitor.call(createChannel, { channel: { kind: 'KIND_WEBHOOK', webhookUrl: webhooks.url, rule } })
  return targetIds
}

async function provoke(name: string, fault: Fault | undefined, stage: Stage, load: Load): Promise<Outcome> {
  // At a random moment of the work.
  await wait(200 + stage.random.next() * 1500)
  const problems: string[] = []
  await fault?.(stage).catch((error: unknown) => void problems.push(`could not be caused: ${String(error)}`))
  const start = performance.now()
  const isReady = await until(() => areReady(stage.installation), recoveryMsMax)
  const recoveredAfterMs = Math.round(performance.now() - start)
  if (!isReady) problems.push(`not ready after ${recoveredAfterMs} ms`)
  else
    problems.push(
      ...(await violations(stage.installation.databaseUrl, load.acknowledged, { received: received(stage) })),
    )
  if (/database$|connection$/.test(name)) await wait(pauseAfterCrashMs)
  return { fault: name, recoveredAfterMs, work: workDone(load, stage.webhooks), problems }
}

/** Whether the API responds and can reach its database. */
async function areReady({ url }: Installation): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2000) })).ok
  } catch {
    return false
  }
}

async function settle(stage: Stage, load: Load): Promise<Outcome> {
  const { installation } = stage
  const start = performance.now()
  let problems: readonly string[] = []
  await until(async () => {
    problems = await violations(installation.databaseUrl, load.acknowledged, { isEnd: true, received: received(stage) })
    return problems.length === 0
  }, settleMsMax)
  const recoveredAfterMs = Math.round(performance.now() - start)
  // Startup cleans up after killed processes.
  for (const name of processNames) await installation.kill(name)
  for (const name of processNames) await installation.start(name)
  const left = await readdir(installation.temporary)
  return {
    fault: 'the end',
    recoveredAfterMs,
    work: workDone(load, stage.webhooks),
    problems: [...problems, ...left.map((name) => `temporary file left: ${name}`)],
  }
}

function received({ webhooks, mail }: Stage): Received {
  return { webhooks: webhooks.accepted, emails: mail.accepted }
}

/** Faults prove nothing when no work is in progress. */
function workDone({ acknowledged }: Load, webhooks: Receiver): Work {
  const { tags, comments, scans, invitations } = acknowledged
  return {
    tags: tags.length,
    comments: comments.length,
    scans: scans.length,
    invitations: invitations.length,
    deliveries: webhooks.accepted.size,
  }
}
type Work = Readonly<Record<'tags' | 'comments' | 'scans' | 'invitations' | 'deliveries', number>>

async function until(condition: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (performance.now() < deadline) {
    if (await condition()) return true
    await wait(pollMs)
  }
  return false
}
