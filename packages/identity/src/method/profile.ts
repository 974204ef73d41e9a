/** Changing one's name and address. */
import { isPrivileged } from '#assurance.ts'
import type { Fields } from '#http/body.ts'
import { csrfOf, tell } from '#http/exchange.ts'
import { type Exchange, type Method, type SettingsOutcome, refused, type LiveSession } from '#service.ts'
import { type Identity, signInAddress, updateTraits } from '#identities.ts'
import { startProofOfAddress } from '#flow/verification.ts'
import { addressChangedMail } from '#mail.ts'
import { normalAddress, readTraits, traitNodes } from '#schema.ts'
import type { Traits } from '#store.ts'
import { label, onForm } from '#ui/message.ts'
import { submit } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'

/** How long the news of a change is worth delivering. */
const newsMs = 3 * 24 * 3600_000

export const profile: Method = {
  name: 'profile',
  settings: {
    nodes: ({ holder }) => [...traitNodes('profile', holder.traits), submit('profile', 'profile', label.save)],
    submit: changeProfile,
  },
}

async function changeProfile(exchange: Exchange, session: LiveSession, fields: Fields): Promise<SettingsOutcome> {
  const { service } = exchange
  const { identity } = session
  const reading = readTraits(fields['traits'])
  if (reading.kind === 'invalid') return refused(...reading.messages)
  const isMoving = normalAddress(reading.traits.email) !== normalAddress(identity.traits.email)
  if (isMoving && !isPrivileged(service, session)) return { kind: 'reauthenticate' }
  if (!isMoving) {
    await updateTraits(service.db, identity, reading.traits, service.now())
    tell(exchange, 'profile_changed', identity.id)
    return { kind: 'saved' }
  }
  return moveAddress(exchange, identity, reading.traits)
}

/** A new address does not count until its own code comes back, and the old one is told. */
async function moveAddress(exchange: Exchange, identity: Identity, traits: Traits): Promise<SettingsOutcome> {
  const { service } = exchange
  const now = service.now()
  const address = normalAddress(traits.email)
  const proof = await service.db
    .transaction()
    .execute(async (tx) => {
      if ((await updateTraits(tx, identity, traits, now)) === 'taken') throw new Taken()
      const old = normalAddress(signInAddress(identity))
      const expiresAt = new Date(now.getTime() + newsMs)
      if (old !== address) await service.courier.queue(tx, addressChangedMail(old, address), { expiresAt })
      return startProofOfAddress(exchange, tx, {
        identityId: identity.id,
        address,
        requestUrl: exchange.url,
        returnTo: null,
        csrfToken: csrfOf(exchange),
      })
    })
    .catch((cause: unknown) => {
      if (cause instanceof Taken) return null
      throw cause
    })
  if (!proof) return refused(onForm(problem.duplicateAccount))
  tell(exchange, 'email_changed', identity.id)
  return { kind: 'saved', continueWith: [proof] }
}

/** Undoes the transaction in which an address turned out to be another account's. */
class Taken extends Error {}
