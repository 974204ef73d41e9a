/** What feeds changed reaches the inventories, and where it is news, a scan has a look. */
import { refreshEnds } from '#inventory/index.ts'
import { matchThreats, reprioritise } from '#issues/index.ts'
import { takeChanges } from '#packs/index.ts'
import { systemActor } from '#ctx.ts'
import { inAccount } from '#database/index.ts'
import { onEach } from '#each.ts'
import { Refusal } from '#errors.ts'
import type { Scanning } from '#scans/run.ts'
import { startScan } from '#scans/start.ts'

/**
 * Holds every changed threat against the inventories that it may concern, account by account, then
 * brings ratings and ends of support up to date. What was interrupted is held again, and changes
 * nothing the second time.
 */
export async function holdChanges(scanning: Scanning, signal: AbortSignal): Promise<void> {
  const { database, knowledge, log } = scanning
  for (let changes = await takeChanges(database.owner); changes; changes = await takeChanges(database.owner)) {
    signal.throwIfAborted()
    await onEach(changes.accounts, async (account) => {
      const as = { account, actor: { ...systemActor, name: 'feeds' }, log }
      const targets = await inAccount(database, as, (ctx) => matchThreats(ctx, changes, knowledge))
      for (const target of targets) await startEmerging(scanning, account, target)
    })
    await changes.done()
    log.info(
      { threats: changes.ids.length, accounts: changes.accounts.length },
      'changed threats held against inventories',
    )
  }
  await refreshEnds(database.owner)
  const issues = await reprioritise(database, log)
  if (issues > 0) log.info({ issues }, 'priorities changed with what feeds say')
}

/** It uses no quota. A target that is being scanned will show the same. */
async function startEmerging(scanning: Scanning, account: string, targetId: string): Promise<void> {
  const as = { account, actor: { ...systemActor, name: 'feeds' }, log: scanning.log }
  try {
    await inAccount(scanning.database, as, (ctx) => startScan(ctx, scanning.jobs, targetId, 'TYPE_EMERGING'))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}
