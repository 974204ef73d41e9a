/** The dependencies of the calls of installation administrators. */
import type { IdentityAdmin } from '@glacis/identity'
import type { HealthCheck } from '@glacis/contract/installation'
import type { Database } from '#database/index.ts'
import type { Jobs } from '#jobs.ts'
import type { Mailer } from '#mail.ts'

export interface Administration {
  readonly database: Database
  readonly jobs: Jobs
  readonly mailer: Mailer
  /** Null if an external identity service manages the accounts. */
  readonly people: IdentityAdmin | null
  readonly config: {
    readonly url: string
    readonly identityUrl: string | undefined
    readonly smtpUrl: string | undefined
    /** Folder of release archives; undefined: no update notice. */
    readonly releases: string | undefined
  }
  /** Runs the checks of `glacis doctor` that apply to a running server. */
  readonly check: () => Promise<HealthCheck[]>
}
