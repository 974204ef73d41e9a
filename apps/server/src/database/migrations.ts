/** Every migration, in order. Numbered, forward only, never edited once released. */
import * as accounts from '#database/migrations/0001-accounts.ts'
import * as targets from '#database/migrations/0002-targets.ts'
import * as knowledge from '#database/migrations/0003-knowledge.ts'
import * as inventory from '#database/migrations/0004-inventory.ts'
import * as scans from '#database/migrations/0005-scans.ts'
import * as issues from '#database/migrations/0006-issues.ts'

export const migrations = [accounts, targets, knowledge, inventory, scans, issues] as const
