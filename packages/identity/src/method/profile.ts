/** Changes to the name and email address. */
import { isPrivileged } from '#assurance.ts'
import type { Fields } from '#http/body.ts'
import { ensureCsrfToken, emitEvent } from '#http/exchange.ts'
import { type Exchange, type Method, type SettingsOutcome, rejected, type LiveSession } from '#service.ts'
import { type Identity, signInAddress, updateTraits } from '#identities.ts'
import { startAddressVerification } from '#flow/verification.ts'
import { addressChangedMail } from '#mail.ts'
import { normalizeAddress, parseTraits, traitNodes } from '#schema.ts'
import type { Traits } from '#store.ts'
import { label, onForm } from '#ui/message.ts'
import { submit } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

/** How long delivery of the notification is retried. */
const notificationTtlMs = 3 * 24 * 3600_000

export const profile: Method = {
  name: 'profile',
  settings: {
    nodes: ({ identity }) => [...traitNodes('profile', identity.traits), submit('profile', 'profile', label.save)],
    submit: changeProfile,
  },
}

async function changeProfile(exchange: Exchange, session: LiveSession, fields: Fields): Promise<SettingsOutcome> {
  const { service } = exchange
  const { identity } = session
  const parsed = parseTraits(fields['traits'])
  if (parsed.kind === 'invalid') return rejected(...parsed.messages)
  const isAddressChange = normalizeAddress(parsed.traits.email) !== normalizeAddress(identity.traits.email)
  if (isAddressChange && !isPrivileged(service, session)) return { kind: 'reauthenticate' }
  if (!isAddressChange) {
    await updateTraits(service.db, identity, parsed.traits, service.now())
    emitEvent(exchange, 'profile_changed', identity.id)
    return { kind: 'saved' }
  }
  return changeAddress(exchange, identity, parsed.traits)
}

/** Changes the email address. It takes effect once it is verified, and the old address is notified. */
async function changeAddress(exchange: Exchange, identity: Identity, traits: Traits): Promise<SettingsOutcome> {
  const { service } = exchange
  const now = service.now()
  const address = normalizeAddress(traits.email)
  const verification = await service.db
    .transaction()
    .execute(async (tx) => {
      if ((await updateTraits(tx, identity, traits, now)) === 'taken') throw new AddressTakenError()
      const old = normalizeAddress(signInAddress(identity))
      const expiresAt = new Date(now.getTime() + notificationTtlMs)
      if (old !== address) await service.courier.queue(tx, addressChangedMail(old, address), { expiresAt })
      return startAddressVerification(exchange, tx, {
        identityId: identity.id,
        address,
        requestUrl: exchange.url,
        returnTo: null,
        csrfToken: ensureCsrfToken(exchange),
      })
    })
    .catch((cause: unknown) => {
      if (cause instanceof AddressTakenError) return null
      throw cause
    })
  if (!verification) return rejected(onForm(errorMessage.duplicateAccount))
  emitEvent(exchange, 'email_changed', identity.id)
  return { kind: 'saved', continueWith: [verification] }
}

/** Rolls back the transaction when another identity has the address. */
class AddressTakenError extends Error {}
