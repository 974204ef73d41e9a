/** Applies feed changes to the inventories and scans targets affected by emerging threats. */
import { refreshEndOfLife } from '#inventory/index.ts'
import { matchThreats, reprioritize } from '#issues/index.ts'
import { nextChanges } from '#packs/index.ts'
import { systemActor } from '#ctx.ts'
import { inWorkspace } from '#database/index.ts'
import { forEachSettled } from '#for-each-settled.ts'
import { ApiError } from '#errors.ts'
import type { Scanning } from '#scans/run.ts'
import { startScan } from '#scans/start.ts'

/**
 * Matches changed threats against the inventories they can affect, workspace by workspace, then updates
 * ratings and end-of-life dates. Idempotent, so an interrupted run is repeated.
 */
export async function matchChangedThreats(scanning: Scanning, signal: AbortSignal): Promise<void> {
  const { database, knowledge, log } = scanning
  for (let changes = await nextChanges(database.owner); changes; changes = await nextChanges(database.owner)) {
    signal.throwIfAborted()
    await forEachSettled(changes.workspaces, async (workspace) => {
      const as = { workspace, actor: { ...systemActor, name: 'feeds' }, log }
      const targets = await inWorkspace(database, as, (ctx) => matchThreats(ctx, changes, knowledge))
      for (const target of targets) await startEmergingScan(scanning, workspace, target)
    })
    await changes.done()
    if (changes.workspaces.length > 0)
      log.info(
        { threats: changes.ids.length, accounts: changes.workspaces.length },
        'changed threats matched against inventories',
      )
  }
  await refreshEndOfLife(database.owner)
  const issues = await reprioritize(database, log)
  if (issues > 0) log.info({ issues }, 'priorities updated from feeds')
}

/** Doesn't count toward the quota. If a scan of the target is running, it covers the threat. */
async function startEmergingScan(scanning: Scanning, workspace: string, targetId: string): Promise<void> {
  const as = { workspace, actor: { ...systemActor, name: 'feeds' }, log: scanning.log }
  try {
    await inWorkspace(scanning.database, as, (ctx) => startScan(ctx, scanning.jobs, targetId, 'TYPE_EMERGING'))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}
