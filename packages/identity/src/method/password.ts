/** Passwords as a first factor. */
import { z } from 'zod'
import { isPrivileged } from '#assurance.ts'
import { type Fields, textOf } from '#http/body.ts'
import { emitEvent } from '#http/exchange.ts'
import {
  type Exchange,
  type LoginOutcome,
  type Method,
  type FormContext,
  type SettingsOutcome,
  rejected,
  type LiveSession,
} from '#service.ts'
import { signInAddress } from '#identities.ts'
import { decoyHash, hashPassword, isOutdated, verifyPassword } from '#method/argon2.ts'
import { readCredential, writeCredential } from '#method/credential.ts'
import { identifierNode } from '#method/identifier.ts'
import { breachedPasswordError } from '#method/breached-passwords.ts'
import { passwordPolicyError } from '#method/password-policy.ts'
import { isEmail, normalizeAddress } from '#schema.ts'
import { revokeOtherSessions } from '#session.ts'
import type { Database } from '#store.ts'
import { beginAttempt, throttled } from '#throttle.ts'
import { type FieldMessage, label, onField, onForm } from '#ui/message.ts'
import { input, submit } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

const Config = z.object({ hash: z.string() })

export const password: Method = {
  name: 'password',
  login: {
    nodes: (context) =>
      context.identity && !context.identity.credential_types.includes('password') ? [] : signInNodes(context),
    submit: signIn,
  },
  registration: {
    nodes: () => [newPasswordNode(), submit('password', 'password', label.signUp)],
    missingFields: missingPassword,
    async submit(exchange, fields, traits) {
      const newPassword = textOf(fields, 'password')
      const policyError =
        passwordPolicyError(newPassword, traits.email) ?? (await breachedPasswordError(exchange.service, newPassword))
      if (policyError) return rejected(onField('password', policyError))
      const hash = await hashPassword(newPassword, exchange.service.hashing)
      const now = exchange.service.now()
      return {
        kind: 'ready',
        attach: (tx, identityId) => attachPassword(tx, identityId, normalizeAddress(traits.email), hash, now),
      }
    },
  },
  settings: {
    nodes: () => [newPasswordNode(), submit('password', 'password', label.save)],
    submit: changePassword,
  },
}

function signInNodes(context: FormContext) {
  return [
    identifierNode(context),
    input('password', 'password', 'password', {
      required: true,
      autocomplete: 'current-password',
      label: label.password,
    }),
    submit('password', 'password', context.identity ? label.signIn : label.signInWithPassword),
  ]
}

function newPasswordNode() {
  return input('password', 'password', 'password', {
    required: true,
    autocomplete: 'new-password',
    label: label.password,
  })
}

function missingPassword(fields: Fields): FieldMessage[] {
  return textOf(fields, 'password') ? [] : [onField('password', errorMessage.required('password'))]
}

async function signIn(exchange: Exchange, fields: Fields): Promise<LoginOutcome> {
  const identifier = normalizeAddress(textOf(fields, 'identifier') || textOf(fields, 'password_identifier'))
  const submittedPassword = textOf(fields, 'password')
  const missing = identifier ? [] : [onField('identifier', errorMessage.required('identifier'))]
  if (!identifier || !submittedPassword) return rejected(...missing, ...missingPassword(fields))

  using attempt = await beginAttempt(exchange.service, 'password', identifier, exchange.client.ip)
  if (attempt.isThrottled) return throttled(exchange, null, loggableIdentifier(identifier))
  const { db, hashing } = exchange.service
  const credential = await findCredential(db, identifier)
  const isCorrect = await verifyPassword(submittedPassword, credential?.hash ?? (await decoyHash(hashing)))
  if (!credential || !isCorrect) {
    emitEvent(exchange, 'sign_in_failed', credential?.identityId ?? null, loggableIdentifier(identifier))
    return rejected(onForm(errorMessage.invalidCredentials))
  }
  await attempt.refund()
  if (credential.state === 'inactive') return rejected(onForm(errorMessage.accountDisabled))
  if (isOutdated(credential.hash, hashing)) {
    const hash = await hashPassword(submittedPassword, hashing)
    await writeCredential(db, credential.identityId, 'password', { hash }, exchange.service.now())
  }
  return { kind: 'authenticated', identityId: credential.identityId }
}

/** Users sometimes type their password into the identifier field, so only email addresses are recorded in events. */
function loggableIdentifier(identifier: string): string | undefined {
  return isEmail(identifier) ? identifier : undefined
}

async function changePassword(exchange: Exchange, session: LiveSession, fields: Fields): Promise<SettingsOutcome> {
  const { service } = exchange
  const { identity } = session
  if (!isPrivileged(service, session)) return { kind: 'reauthenticate' }
  const missing = missingPassword(fields)
  if (missing.length > 0) return rejected(...missing)
  const newPassword = textOf(fields, 'password')
  const policyError =
    passwordPolicyError(newPassword, identity.traits.email) ?? (await breachedPasswordError(service, newPassword))
  if (policyError) return rejected(onField('password', policyError))
  const current = z.optional(Config).parse(await readCredential(service.db, identity.id, 'password'))
  if (current && (await verifyPassword(newPassword, current.hash)))
    return rejected(onField('password', errorMessage.passwordUnchanged))

  const hash = await hashPassword(newPassword, service.hashing)
  const now = service.now()
  await service.db.transaction().execute(async (tx) => {
    await attachPassword(tx, identity.id, normalizeAddress(signInAddress(identity)), hash, now)
    await revokeOtherSessions({ ...service, db: tx }, identity.id, session.id)
  })
  emitEvent(exchange, 'password_changed', identity.id)
  return { kind: 'saved' }
}

interface Credential {
  readonly identityId: string
  readonly hash: string
  readonly state: 'active' | 'inactive'
}

async function findCredential(db: Database, identifier: string): Promise<Credential | null> {
  const row = await db
    .selectFrom('identity.credential_identifier as known')
    .innerJoin('identity.credential as credential', (join) =>
      join.onRef('credential.identity_id', '=', 'known.identity_id').onRef('credential.type', '=', 'known.type'),
    )
    .innerJoin('identity.identity as person', 'person.id', 'known.identity_id')
    .select(['known.identity_id', 'credential.config', 'person.state'])
    .where('known.type', '=', 'password')
    .where('known.identifier', '=', identifier)
    .executeTakeFirst()
  return row ? { identityId: row.identity_id, hash: Config.parse(row.config).hash, state: row.state } : null
}

/** Creates or replaces an identity's password and its identifier. */
export async function attachPassword(
  tx: Database,
  identityId: string,
  identifier: string,
  hash: string,
  now: Date,
): Promise<void> {
  await writeCredential(tx, identityId, 'password', { hash }, now)
  await tx
    .insertInto('identity.credential_identifier')
    .values({ type: 'password', identifier, identity_id: identityId })
    .onConflict((conflict) => conflict.columns(['type', 'identifier']).doNothing())
    .execute()
}
