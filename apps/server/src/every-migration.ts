import { migrations as ofIdentity } from '@glacis/identity'
import { migrations } from '#database/migrations.ts'

/** What makes of an empty database that of an installation: our tables, and those of the identity service. */
export const everyMigration = [...migrations, ...ofIdentity]
