/** Signing in with a password. */
import { isPrivileged } from '#assurance.ts'
import { type Fields, textOf } from '#http/body.ts'
import { tell } from '#http/exchange.ts'
import {
  type Exchange,
  type LoginOutcome,
  type Method,
  type Scene,
  type SettingsOutcome,
  refused,
  type LiveSession,
} from '#service.ts'
import { signInAddress } from '#identities.ts'
import { decoyHash, hashPassword, isOutdated, verifyPassword } from '#method/argon2.ts'
import { identifierNode } from '#method/identifier.ts'
import { breachFault } from '#method/breaches.ts'
import { passwordFault } from '#method/password-policy.ts'
import { isEmail, normalAddress } from '#schema.ts'
import { revokeOthers } from '#session.ts'
import type { Database } from '#store.ts'
import { attempt, tooManyAttempts } from '#throttle.ts'
import { type PlacedMessage, label, on, onForm } from '#ui/message.ts'
import { input, submit } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'

export const password: Method = {
  name: 'password',
  login: {
    nodes: (scene) => (scene.holder && !scene.holder.credential_types.includes('password') ? [] : signInNodes(scene)),
    submit: signIn,
  },
  registration: {
    nodes: () => [newPassword(), submit('password', 'password', label.signUp)],
    missing: missingPassword,
    async submit(exchange, fields, traits) {
      const chosen = textOf(fields, 'password')
      const fault = passwordFault(chosen, traits.email) ?? (await breachFault(exchange.service, chosen))
      if (fault) return refused(on('password', fault))
      const hash = await hashPassword(chosen, exchange.service.hashing)
      const now = exchange.service.now()
      return {
        kind: 'ready',
        attach: (tx, identityId) => attachPassword(tx, identityId, normalAddress(traits.email), hash, now),
      }
    },
  },
  settings: {
    nodes: () => [newPassword(), submit('password', 'password', label.save)],
    submit: changePassword,
  },
}

function signInNodes(scene: Scene) {
  return [
    identifierNode(scene),
    input('password', 'password', 'password', {
      required: true,
      autocomplete: 'current-password',
      label: label.password,
    }),
    submit('password', 'password', scene.holder ? label.signIn : label.signInWithPassword),
  ]
}

function newPassword() {
  return input('password', 'password', 'password', {
    required: true,
    autocomplete: 'new-password',
    label: label.password,
  })
}

function missingPassword(fields: Fields): PlacedMessage[] {
  return textOf(fields, 'password') ? [] : [on('password', problem.required('password'))]
}

async function signIn(exchange: Exchange, fields: Fields): Promise<LoginOutcome> {
  const identifier = normalAddress(textOf(fields, 'identifier') || textOf(fields, 'password_identifier'))
  const given = textOf(fields, 'password')
  const missing = identifier ? [] : [on('identifier', problem.required('identifier'))]
  if (!identifier || !given) return refused(...missing, ...missingPassword(fields))

  using guess = await attempt(exchange.service, 'password', identifier, exchange.client.ip)
  if (guess.isRefused) {
    tell(exchange, 'throttled', null, shownIdentifier(identifier))
    return refused(onForm(problem.generic(tooManyAttempts)))
  }
  const { db, hashing } = exchange.service
  const credential = await findCredential(db, identifier)
  const isRight = await verifyPassword(given, credential?.hash ?? (await decoyHash(hashing)))
  if (!credential || !isRight) {
    tell(exchange, 'sign_in_failed', credential?.identityId ?? null, shownIdentifier(identifier))
    return refused(onForm(problem.invalidCredentials))
  }
  await guess.forgive()
  if (credential.state === 'inactive') return refused(onForm(problem.accountDisabled))
  if (isOutdated(credential.hash, hashing)) {
    await storeHash(db, credential.identityId, await hashPassword(given, hashing), exchange.service.now())
  }
  return { kind: 'passed', identityId: credential.identityId }
}

/** People type passwords into the wrong field; only what looks like an address is told to anybody. */
function shownIdentifier(identifier: string): string | undefined {
  return isEmail(identifier) ? identifier : undefined
}

async function changePassword(exchange: Exchange, session: LiveSession, fields: Fields): Promise<SettingsOutcome> {
  const { service } = exchange
  const { identity } = session
  if (!isPrivileged(service, session)) return { kind: 'reauthenticate' }
  const missing = missingPassword(fields)
  if (missing.length > 0) return refused(...missing)
  const chosen = textOf(fields, 'password')
  const fault = passwordFault(chosen, identity.traits.email) ?? (await breachFault(service, chosen))
  if (fault) return refused(on('password', fault))
  const present = await hashOfIdentity(service.db, identity.id)
  if (present && (await verifyPassword(chosen, present))) return refused(on('password', problem.passwordUnchanged))

  const hash = await hashPassword(chosen, service.hashing)
  const now = service.now()
  await service.db.transaction().execute(async (tx) => {
    await attachPassword(tx, identity.id, normalAddress(signInAddress(identity)), hash, now)
    await revokeOthers({ ...service, db: tx }, identity.id, session.id)
  })
  tell(exchange, 'password_changed', identity.id)
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
  return row ? { identityId: row.identity_id, hash: readHash(row.config), state: row.state } : null
}

async function hashOfIdentity(db: Database, identityId: string): Promise<string | null> {
  const row = await db
    .selectFrom('identity.credential')
    .select('config')
    .where('identity_id', '=', identityId)
    .where('type', '=', 'password')
    .executeTakeFirst()
  return row ? readHash(row.config) : null
}

function readHash(config: unknown): string {
  const hash = typeof config === 'object' && config !== null && 'hash' in config ? config.hash : undefined
  if (typeof hash !== 'string') throw new Error('A password credential holds no hash')
  return hash
}

/** Gives an account its password, or another one, and the identifier that goes with it. */
export async function attachPassword(
  tx: Database,
  identityId: string,
  identifier: string,
  hash: string,
  now: Date,
): Promise<void> {
  const config = JSON.stringify({ hash })
  await tx
    .insertInto('identity.credential')
    .values({ identity_id: identityId, type: 'password', config, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.columns(['identity_id', 'type']).doUpdateSet({ config, updated_at: now }))
    .execute()
  await tx
    .insertInto('identity.credential_identifier')
    .values({ type: 'password', identifier, identity_id: identityId })
    .onConflict((conflict) => conflict.columns(['type', 'identifier']).doNothing())
    .execute()
}

async function storeHash(db: Database, identityId: string, hash: string, now: Date): Promise<void> {
  await db
    .updateTable('identity.credential')
    .set({ config: JSON.stringify({ hash }), updated_at: now })
    .where('identity_id', '=', identityId)
    .where('type', '=', 'password')
    .execute()
}
