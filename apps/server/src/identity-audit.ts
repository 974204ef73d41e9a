import type { IdentityAdmin, IdentityEvent, IdentitySummary } from '@glacis/identity'
import { recordIdentityEvent } from '#audit.ts'
import type { Log } from '#ctx.ts'
import type { Database } from '#database/index.ts'
import { ApiError } from '#errors.ts'
import { type Memberships, personOf } from '#workspaces/index.ts'

export interface IdentityAudit {
  record(event: IdentityEvent): void
  /** Resolves when everything recorded so far is stored. */
  flush(): Promise<void>
}

/**
 * Records identity events in the audit log, in order. An audit event needs a workspace, so a new user's workspace is
 * created with the registration event instead of the first request.
 */
export function createIdentityAudit(
  database: Database,
  people: IdentityAdmin,
  memberships: Memberships,
  log: Log,
): IdentityAudit {
  let stored = Promise.resolve()
  return {
    record(event) {
      const store = async () => {
        const newcomer = event.kind === 'registered' && event.identityId ? await people.find(event.identityId) : null
        if (newcomer) await createFirstWorkspace(memberships, newcomer)
        await recordIdentityEvent(database, event)
      }
      stored = stored.then(store).catch((error: unknown) => {
        log.error({ err: error, kind: event.kind }, 'recording identity event failed')
      })
    },
    flush: () => stored,
  }
}

/** Does nothing for a person who was invited or can join a workspace: they choose first. */
async function createFirstWorkspace(memberships: Memberships, { id, email, name, isVerified }: IdentitySummary) {
  const verifiable_addresses = [{ value: email, verified: isVerified }]
  const person = personOf({ identity: { id, traits: { email, name }, verifiable_addresses } })
  await memberships.of(person).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}
