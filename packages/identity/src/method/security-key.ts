/** Security keys (WebAuthn without user verification) as a second factor. */
import { randomBytes } from 'node:crypto'
import { isPrivileged } from '#assurance.ts'
import type { Flow } from '#store.ts'
import { type Fields, textOf } from '#http/body.ts'
import { emitEvent } from '#http/exchange.ts'
import {
  type Exchange,
  type IdentityFormContext,
  type LoginOutcome,
  type Method,
  type SettingsOutcome,
  rejected,
  type LiveSession,
} from '#service.ts'
import { identifierNode } from '#method/identifier.ts'
import { label, onForm } from '#ui/message.ts'
import { type Node, input } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'
import {
  verifyAttestation,
  creationOptions,
  newChallenge,
  readAssertion,
  readAttestation,
  relyingPartyName,
  requestOptions,
} from '#webauthn/ceremony.ts'
import { addKey, deleteKey, readKeys } from '#webauthn/key.ts'
import { malformedAssertion, malformedAttestation, notVerified, signInWithKey, toHex } from '#webauthn/factor.ts'
import { scriptNode } from '#webauthn/script.ts'

const name = 'webauthn'
/** Maximum length of a key's name, in characters. */
const keyNameLengthMax = 64

export const securityKey: Method = {
  name,
  matches: (fields) =>
    ['webauthn_login', 'webauthn_register', 'webauthn_remove'].some((field) => textOf(fields, field)),
  secondFactor: { nodes: loginNodes, submit: verifyKey },
  settings: { nodes: settingsNodes, submit: applyChange },
}

async function loginNodes(context: IdentityFormContext): Promise<Node[]> {
  const { service, identity, remember } = context
  const storedKeys = await readKeys(service.db, identity.id, name)
  const webauthnChallenge = newChallenge()
  remember({ webauthnChallenge })
  const ids = storedKeys?.keys.map(({ id }) => id) ?? []
  const options = JSON.stringify({ publicKey: requestOptions(service, name, webauthnChallenge, ids) })
  return [
    identifierNode(context),
    input(name, 'webauthn_login', 'hidden', { value: '' }),
    scriptNode(service),
    input(name, 'webauthn_login_trigger', 'button', {
      value: options,
      onClick: { trigger: 'oryWebAuthnLogin', argument: options },
      label: label.securityKeySignIn,
    }),
  ]
}

async function settingsNodes({ service, identity, remember }: IdentityFormContext): Promise<Node[]> {
  const keys = (await readKeys(service.db, identity.id, name))?.keys ?? []
  const webauthnChallenge = newChallenge()
  remember({ webauthnChallenge })
  const user = { name: relyingPartyName, id: randomBytes(16).toString('base64url') }
  const existingIds = keys.map(({ id }) => id)
  const options = JSON.stringify({
    publicKey: creationOptions(service, { type: name, challenge: webauthnChallenge, user, existingIds }),
  })
  return [
    ...keys.map((key) =>
      input(name, 'webauthn_remove', 'submit', {
        value: toHex(key.id),
        label: label.removeSecurityKey(key.name, new Date(key.addedAt)),
      }),
    ),
    input(name, 'webauthn_register_displayname', 'text', { value: '', label: label.securityKeyName }),
    input(name, 'webauthn_register', 'hidden', { value: '' }),
    input(name, 'webauthn_register_trigger', 'button', {
      value: options,
      onClick: { trigger: 'oryWebAuthnRegistration', argument: options },
      label: label.addSecurityKey,
    }),
    scriptNode(service),
  ]
}

async function verifyKey(
  exchange: Exchange,
  { identity }: LiveSession,
  fields: Fields,
  flow: Flow,
): Promise<LoginOutcome> {
  const assertion = readAssertion(textOf(fields, 'webauthn_login'))
  if (!assertion) return rejected(malformedAssertion)
  if (!identity.credential_types.includes(name)) return rejected(onForm(errorMessage.securityKeysMissing))
  const owner = { identityId: identity.id, type: name } as const
  return signInWithKey(exchange, flow, owner, flow.memory.webauthnChallenge, assertion)
}

async function applyChange(
  exchange: Exchange,
  session: LiveSession,
  fields: Fields,
  flow: Flow,
): Promise<SettingsOutcome> {
  const remove = textOf(fields, 'webauthn_remove')
  const response = textOf(fields, 'webauthn_register')
  if (!remove && !response) return rejected(onForm(errorMessage.settingsNoMethod))
  if (!isPrivileged(exchange.service, session)) return { kind: 'reauthenticate' }
  return remove ? removeSecurityKey(exchange, session, remove) : addSecurityKey(exchange, session, fields, flow)
}

async function addSecurityKey(
  exchange: Exchange,
  { identity }: LiveSession,
  fields: Fields,
  flow: Flow,
): Promise<SettingsOutcome> {
  const { service } = exchange
  const attestation = readAttestation(textOf(fields, 'webauthn_register'))
  if (!attestation) return rejected(malformedAttestation)
  const keyName = textOf(fields, 'webauthn_register_displayname').trim().slice(0, keyNameLengthMax)
  const key = await verifyAttestation(service, flow, flow.memory.webauthnChallenge, attestation, {
    name: keyName || 'unnamed',
  })
  if (!key) return rejected(notVerified)
  const isNew = await service.db
    .transaction()
    .execute((tx) => addKey(tx, identity.id, name, { handle: '', key }, service.now()))
  if (!isNew) return rejected(onForm(errorMessage.generic('This security key is already in use.')))
  emitEvent(exchange, 'second_factor_added', identity.id, name)
  return { kind: 'saved', completedMethod: { method: name, aal: 'aal2' } }
}

async function removeSecurityKey(exchange: Exchange, { identity }: LiveSession, hex: string): Promise<SettingsOutcome> {
  const { service } = exchange
  const storedKeys = await readKeys(service.db, identity.id, name)
  const key = storedKeys?.keys.find(({ id }) => toHex(id) === hex.toLowerCase())
  if (!key) return rejected(onForm(errorMessage.generic('You tried to remove a security key which does not exist.')))
  await service.db.transaction().execute((tx) => deleteKey(tx, identity.id, name, key.id, service.now()))
  emitEvent(exchange, 'second_factor_removed', identity.id, name)
  return { kind: 'saved' }
}
