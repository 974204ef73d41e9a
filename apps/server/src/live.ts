/** Database notifications (LISTEN/NOTIFY) used as hints. A hint can be lost, so readers must not rely on it. */
import type { Log } from '#ctx.ts'
import { channels } from '#database/channels.ts'
import { Client } from 'pg'

export interface Live {
  /** Calls back after each hint for the account; returns a function that unsubscribes. */
  onHint(account: string, call: () => void): () => void
  /** Calls back after each hint, with its account; returns a function that unsubscribes. */
  onAnyHint(call: (account: string) => void): () => void
  /** Calls back when a job was enqueued, with its queue. */
  onJob(call: (queue: string) => void): void
  close(): Promise<void>
}

const retryMs = 2000

/** Listens on a dedicated connection and reconnects when it is lost. */
export async function listenLive(databaseUrl: string, log: Log): Promise<Live> {
  const byAccount = new Map<string, Set<() => void>>()
  const onAnyCalls = new Set<(account: string) => void>()
  const onJobCalls = new Set<(queue: string) => void>()
  const notify = (account: string) => {
    for (const call of byAccount.get(account) ?? []) call()
    for (const call of onAnyCalls) call(account)
  }
  let isClosed = false
  let client: Client | null = null
  let timer: NodeJS.Timeout | undefined
  const connect = async () => {
    if (isClosed) return
    const newClient = new Client({ connectionString: databaseUrl, keepAlive: true })
    const reconnect = () => {
      if (client !== newClient || isClosed) return
      client = null
      timer = setTimeout(() => void connect(), retryMs)
    }
    newClient.on('notification', ({ channel, payload = '' }) => {
      if (channel === channels.events) notify(payload)
      else for (const call of onJobCalls) call(payload)
    })
    newClient.on('error', (error) => {
      log.warn({ error: error.message }, 'event listener connection lost')
      reconnect()
    })
    newClient.on('end', reconnect)
    client = newClient
    try {
      await newClient.connect()
      await newClient.query(`listen ${channels.events}; listen ${channels.jobs}`)
    } catch (error) {
      log.warn({ error: error instanceof Error ? error.message : String(error) }, 'event listener connection failed')
      reconnect()
    }
  }
  await connect()
  return {
    onHint(account, call) {
      const calls = byAccount.get(account) ?? new Set()
      byAccount.set(account, calls.add(call))
      return () => {
        calls.delete(call)
        if (calls.size === 0) byAccount.delete(account)
      }
    },
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
      await client?.end().catch(() => undefined)
    },
  }
}
