/** All migrations by name, including those of the identity service. Forward only, never edited once released. */
import { migrations as identityMigrations } from '@glacis/identity'
import type { Migration } from 'kysely/migration'
import { createBaseline } from '#database/migrations/0001-baseline.ts'
import { addTargetPermissions } from '#database/migrations/0002-target-permissions.ts'
import { createProvisioning } from '#database/migrations/0004-provisioning.ts'
import { createSignInProvider } from '#database/migrations/0005-sign-in-provider.ts'
import { addTeams } from '#database/migrations/0006-teams.ts'
import { addAgentLimits } from '#database/migrations/0007-agent-limits.ts'
import { createSharedState } from '#database/migrations/0008-shared-state.ts'
import { makeKeysDistributable } from '#database/migrations/0009-distributable-keys.ts'
import { addAdministration } from '#database/migrations/0010-administration.ts'
import { createAgentInventory } from '#database/migrations/0011-agent-inventory.ts'
import { createProviderSessions } from '#database/migrations/0012-provider-sessions.ts'
import { dropTargetOrder } from '#database/migrations/0013-target-order.ts'
import { createWorkspaces } from '#database/migrations/0003-workspaces.ts'

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-baseline': { up: createBaseline },
  '0002-target-permissions': { up: addTargetPermissions },
  '0003-workspaces': { up: createWorkspaces },
  '0004-provisioning': { up: createProvisioning },
  '0005-sign-in-provider': { up: createSignInProvider },
  '0006-teams': { up: addTeams },
  '0007-agent-limits': { up: addAgentLimits },
  '0008-shared-state': { up: createSharedState },
  '0009-distributable-keys': { up: makeKeysDistributable },
  '0010-administration': { up: addAdministration },
  '0011-agent-inventory': { up: createAgentInventory },
  '0012-provider-sessions': { up: createProviderSessions },
  '0013-target-order': { up: dropTargetOrder },
  ...identityMigrations,
}
