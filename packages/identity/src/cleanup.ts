/** Periodic deletion of expired rows. */
import type { Service } from '#service.ts'

const intervalMs = 10 * 60_000
const hourMs = 3600_000

/** How long rows are retained: flows and sessions after they expire, emails and errors after they are created. */
const retentionMs = {
  flow: 24 * hourMs,
  session: 30 * 24 * hourMs,
  mail: 7 * 24 * hourMs,
  error: 7 * 24 * hourMs,
} as const

export interface Cleanup {
  start(): void
  close(): Promise<void>
}

/** Safe to run in several processes at the same time. */
export function createCleanup(service: Service): Cleanup {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const run = () => {
    running = deleteExpired(service).catch((cause: unknown) => {
      service.log.error({ err: cause }, 'cleanup of expired identity rows failed')
    })
  }
  return {
    start() {
      run()
      timer = setInterval(run, intervalMs)
      timer.unref()
    },
    async close() {
      clearInterval(timer)
      await running
    },
  }
}

/** Deletes expired rows. Codes and paused submissions are also deleted with their flows. */
export async function deleteExpired({ db, now }: Pick<Service, 'db' | 'now'>): Promise<void> {
  const cutoff = (ms: number) => new Date(now().getTime() - ms)
  await db.deleteFrom('identity.continuity').where('expires_at', '<', now()).execute()
  await db.deleteFrom('identity.flow').where('expires_at', '<', cutoff(retentionMs.flow)).execute()
  await db.deleteFrom('identity.session').where('expires_at', '<', cutoff(retentionMs.session)).execute()
  await db.deleteFrom('identity.throttle').where('resets_at', '<', now()).execute()
  await db.deleteFrom('identity.flow_error').where('created_at', '<', cutoff(retentionMs.error)).execute()
  await db.deleteFrom('identity.mail').where('created_at', '<', cutoff(retentionMs.mail)).execute()
}
