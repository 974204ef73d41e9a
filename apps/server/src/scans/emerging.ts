/** Applies feed changes to the inventories and scans targets affected by emerging threats. */
import { refreshEndOfLife } from '#inventory/index.ts'
import { matchThreats, reprioritize } from '#issues/index.ts'
import { nextChanges } from '#packs/index.ts'
import { systemActor } from '#ctx.ts'
import { inAccount } from '#database/index.ts'
import { onEach } from '#each.ts'
import { ApiError } from '#errors.ts'
import type { Scanning } from '#scans/run.ts'
import { startScan } from '#scans/start.ts'

/**
 * Matches changed threats against the inventories they can affect, account by account, then updates
 * ratings and end-of-life dates. Idempotent, so an interrupted run is repeated.
 */
export async function matchChangedThreats(scanning: Scanning, signal: AbortSignal): Promise<void> {
  const { database, knowledge, log } = scanning
  for (let changes = await nextChanges(database.owner); changes; changes = await nextChanges(database.owner)) {
    signal.throwIfAborted()
    await onEach(changes.accounts, async (account) => {
      const as = { account, actor: { ...systemActor, name: 'feeds' }, log }
      const targets = await inAccount(database, as, (ctx) => matchThreats(ctx, changes, knowledge))
      for (const target of targets) await startEmergingScan(scanning, account, target)
    })
    await changes.done()
    log.info(
      { threats: changes.ids.length, accounts: changes.accounts.length },
      'changed threats matched against inventories',
    )
  }
  await refreshEndOfLife(database.owner)
  const issues = await reprioritize(database, log)
  if (issues > 0) log.info({ issues }, 'priorities updated from feeds')
}

/** Doesn't count toward the quota. If a scan of the target is running, it covers the threat. */
async function startEmergingScan(scanning: Scanning, account: string, targetId: string): Promise<void> {
  const as = { account, actor: { ...systemActor, name: 'feeds' }, log: scanning.log }
  try {
    await inAccount(scanning.database, as, (ctx) => startScan(ctx, scanning.jobs, targetId, 'TYPE_EMERGING'))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}
