/** Every migration, in order. Numbered, forward only, never edited once released. */
import * as accounts from '#database/migrations/0001-accounts.ts'
import * as targets from '#database/migrations/0002-targets.ts'
import * as knowledge from '#database/migrations/0003-knowledge.ts'
import * as inventory from '#database/migrations/0004-inventory.ts'
import * as scans from '#database/migrations/0005-scans.ts'
import * as issues from '#database/migrations/0006-issues.ts'
import * as agents from '#database/migrations/0007-agents.ts'
import * as notifications from '#database/migrations/0008-notifications.ts'
import * as schedules from '#database/migrations/0010-schedules.ts'
import * as triage from '#database/migrations/0011-triage.ts'
import * as rollups from '#database/migrations/0012-rollups.ts'
import * as feeds from '#database/migrations/0013-knowledge.ts'
import * as trail from '#database/migrations/0014-trail-and-search.ts'
import * as fixOrigins from '#database/migrations/0015-fix-origins.ts'
import * as issueTags from '#database/migrations/0016-issue-tags.ts'
import * as reads from '#database/migrations/0017-reads.ts'
import * as packedCriteria from '#database/migrations/0018-packed-criteria.ts'
import * as history from '#database/migrations/0019-history.ts'
import * as decisions from '#database/migrations/0020-decisions.ts'
import * as running from '#database/migrations/0021-running.ts'
import * as lighterDecisions from '#database/migrations/0022-lighter-decisions.ts'
import * as lighterScans from '#database/migrations/0023-lighter-scans.ts'
import * as ratings from '#database/migrations/0024-ratings.ts'
import * as hostCounts from '#database/migrations/0025-host-counts.ts'

export const migrations = [
  accounts,
  targets,
  knowledge,
  inventory,
  scans,
  issues,
  agents,
  notifications,
  schedules,
  triage,
  rollups,
  feeds,
  trail,
  fixOrigins,
  issueTags,
  reads,
  packedCriteria,
  history,
  decisions,
  running,
  lighterDecisions,
  lighterScans,
  ratings,
  hostCounts,
] as const
