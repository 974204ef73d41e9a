/** Forgets what is over: expired flows, sessions and codes, old mails, errors and counts. */
import type { Service } from '#service.ts'

const sweepMs = 10 * 60_000
const hourMs = 3600_000

/** How long each kind of row is kept after it is over. */
const keptMs = { flow: 24 * hourMs, session: 30 * 24 * hourMs, mail: 7 * 24 * hourMs, error: 7 * 24 * hourMs } as const

export interface Sweep {
  start(): void
  close(): Promise<void>
}

/** A broom at rest; `start` sets it going. Several processes may sweep at once. */
export function createSweep(service: Service): Sweep {
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> = Promise.resolve()
  const run = () => {
    round = sweep(service).catch((cause: unknown) => {
      service.log.error({ err: cause }, 'sweep of old identity rows failed')
    })
  }
  return {
    start() {
      run()
      timer = setInterval(run, sweepMs)
      timer.unref()
    },
    async close() {
      clearInterval(timer)
      await round
    },
  }
}

/** One round. Codes and paused changes go with their flows. */
export async function sweep({ db, now }: Pick<Service, 'db' | 'now'>): Promise<void> {
  const before = (ms: number) => new Date(now().getTime() - ms)
  await db.deleteFrom('identity.continuity').where('expires_at', '<', now()).execute()
  await db.deleteFrom('identity.flow').where('expires_at', '<', before(keptMs.flow)).execute()
  await db.deleteFrom('identity.session').where('expires_at', '<', before(keptMs.session)).execute()
  await db.deleteFrom('identity.throttle').where('resets_at', '<', now()).execute()
  await db.deleteFrom('identity.flow_error').where('created_at', '<', before(keptMs.error)).execute()
  await db.deleteFrom('identity.mail').where('created_at', '<', before(keptMs.mail)).execute()
}
