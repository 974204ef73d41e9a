/** Database notifications (LISTEN/NOTIFY) used as hints. A hint can be lost, so readers must not rely on it. */
import { randomUUID } from 'node:crypto'
import type { Log } from '#ctx.ts'
import { channels } from '#database/channels.ts'
import { Client } from 'pg'

export interface Live {
  /** Calls back after each hint for the workspace; returns a function that unsubscribes. */
  onHint(workspace: string, call: () => void): () => void
  /** Calls back after each hint, with its workspace; returns a function that unsubscribes. */
  onAnyHint(call: (workspace: string) => void): () => void
  /** Calls back when access to the workspace may have ended, or when changes may have been missed; unsubscribes likewise. */
  onMembers(workspace: string, call: () => void): () => void
  /** Calls back when a job was enqueued, with its queue. */
  onJob(call: (queue: string) => void): void
  close(): Promise<void>
}

const retryMs = 2000
/** A connection to a machine that has disappeared is noticed within the sum of these. */
const probeIntervalMs = 10_000
const queryMsMax = 5000

/** Listens on a dedicated connection and reconnects when it is lost. */
export async function listenLive(databaseUrl: string, log: Log): Promise<Live> {
  const byAccount = new Map<string, Set<() => void>>()
  const byMembers = new Map<string, Set<() => void>>()
  const onAnyCalls = new Set<(workspace: string) => void>()
  const onJobCalls = new Set<(queue: string) => void>()
  const notify = (workspace: string) => {
    for (const call of byAccount.get(workspace) ?? []) call()
    for (const call of onAnyCalls) call(workspace)
  }
  let isClosed = false
  let client: Client | null = null
  let timer: NodeJS.Timeout | undefined
  let hasWarned = false
  let closeProbe = () => {}
  const connect = async () => {
    if (isClosed) return
    const newClient = new Client({
      connectionString: databaseUrl,
      keepAlive: true,
      connectionTimeoutMillis: queryMsMax,
      query_timeout: queryMsMax,
    })
    const ownChannel = `glacis_${randomUUID().replaceAll('-', '')}`
    let [probing, isAnswered]: [NodeJS.Timeout | undefined, boolean] = [undefined, true]
    const reconnect = () => {
      if (client !== newClient || isClosed) return
      client = null
      clearInterval(probing)
      newClient.end().catch(() => undefined)
      timer = setTimeout(() => void connect(), retryMs)
    }
    newClient.on('notification', ({ channel, payload = '' }) => {
      if (channel === ownChannel) isAnswered = true
      else if (channel === channels.events) notify(payload)
      else if (channel === channels.members) for (const call of byMembers.get(payload) ?? []) call()
      else for (const call of onJobCalls) call(payload)
    })
    newClient.on('error', (error) => {
      log.warn({ error: error.message }, 'event listener connection lost')
      reconnect()
    })
    newClient.on('end', reconnect)
    const probe = async () => {
      if (!isAnswered && !hasWarned) {
        hasWarned = true
        log.warn({}, 'database notifications do not arrive; set GLACIS_DIRECT_DATABASE_URL if DATABASE_URL is a pooler')
      }
      isAnswered = false
      await newClient.query(`notify ${ownChannel}`)
    }
    client = newClient
    try {
      await newClient.connect()
      await newClient.query([...Object.values(channels), ownChannel].map((channel) => `listen ${channel}`).join('; '))
      // Changes during the interruption were missed.
      for (const calls of [...byMembers.values(), ...byAccount.values()]) for (const call of calls) call()
      probing = setInterval(() => void probe().catch(reconnect), probeIntervalMs).unref()
      closeProbe = () => clearInterval(probing)
    } catch (error) {
      log.warn({ error: error instanceof Error ? error.message : String(error) }, 'event listener connection failed')
      reconnect()
    }
  }
  await connect()
  return {
    onHint: (workspace, call) => subscribe(byAccount, workspace, call),
    onMembers: (workspace, call) => subscribe(byMembers, workspace, call),
    onAnyHint(call) {
      onAnyCalls.add(call)
      return () => void onAnyCalls.delete(call)
    },
    onJob(call) {
      onJobCalls.add(call)
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      closeProbe()
      await client?.end().catch(() => undefined)
    },
  }
}

function subscribe(subscribers: Map<string, Set<() => void>>, workspace: string, call: () => void): () => void {
  const calls = subscribers.get(workspace) ?? new Set()
  subscribers.set(workspace, calls.add(call))
  return () => {
    calls.delete(call)
    if (calls.size === 0) subscribers.delete(workspace)
  }
}
