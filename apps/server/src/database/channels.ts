/** NOTIFY channels. The payload is a workspace ID for events and members, and a queue name for jobs. */
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

export const channels = { events: 'glacis_event', members: 'glacis_member', jobs: 'glacis_job' } as const

/** Makes open event streams of the workspace check their permission again once the transaction has committed. */
export async function recheckStreams({ tx, workspace }: Pick<Ctx, 'tx' | 'workspace'>): Promise<void> {
  await sql`select pg_notify(${channels.members}, ${workspace})`.execute(tx)
}
