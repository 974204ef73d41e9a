/** Passkeys (discoverable WebAuthn credentials) as a first factor. */
import { randomInt } from 'node:crypto'
import { isPrivileged } from '#assurance.ts'
import type { Flow } from '#store.ts'
import { type Fields, textOf } from '#http/body.ts'
import { badRequest, locationChangeRequired } from '#http/error.ts'
import { emitEvent } from '#http/exchange.ts'
import {
  type Exchange,
  type IdentityFormContext,
  type LoginOutcome,
  type Method,
  type RegistrationOutcome,
  type FormContext,
  type SettingsOutcome,
  rejected,
  pageUrl,
  type LiveSession,
} from '#service.ts'
import { findIdentity } from '#identities.ts'
import { countFirstFactors, removeUnlessLast } from '#method/first-factors.ts'
import { identifierNode } from '#method/identifier.ts'
import { label, onField, onForm } from '#ui/message.ts'
import { type Node, input } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'
import {
  type Assertion,
  verifyAttestation,
  creationOptions,
  newChallenge,
  readAssertion,
  readAttestation,
  relyingPartyName,
  requestOptions,
} from '#webauthn/ceremony.ts'
import { addKey, deleteKey, findHandleOwner, readKeys } from '#webauthn/key.ts'
import { malformedAssertion, malformedAttestation, notVerified, signInWithKey, toHex } from '#webauthn/factor.ts'
import { scriptNode } from '#webauthn/script.ts'

/** The trait that the script uses as the passkey's display name. */
const nameField = 'traits.email'
const handleLength = 64
const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

export const passkey: Method = {
  name: 'passkey',
  matches: (fields) =>
    ['passkey_login', 'passkey_register', 'passkey_settings_register', 'passkey_remove'].some((field) =>
      textOf(fields, field),
    ),
  login: { nodes: loginNodes, submit: signIn },
  registration: { nodes: registrationNodes, missingFields: () => [], submit: signUp },
  settings: { nodes: settingsNodes, submit: applyChange },
}

async function loginNodes(context: FormContext): Promise<Node[]> {
  const { service, identity, remember } = context
  const keys = identity ? await readKeys(service.db, identity.id, 'passkey') : null
  if (identity && !keys) return []
  const challenge = newChallenge()
  remember({ passkeyChallenge: challenge })
  const ids = keys?.keys.map(({ id }) => id) ?? []
  const publicKey = requestOptions(service, 'passkey', challenge, ids)
  return [
    identifierNode(context),
    scriptNode(service),
    input('passkey', 'passkey_login_trigger', 'button', {
      value: '',
      onClick: { trigger: 'oryPasskeyLogin' },
      label: label.passkeySignIn,
    }),
    input('passkey', 'passkey_login', 'hidden', identity ? {} : { onLoad: 'oryPasskeyLoginAutocompleteInit' }),
    input('passkey', 'passkey_challenge', 'hidden', { value: JSON.stringify({ publicKey }) }),
  ]
}

function registrationNodes({ service, remember }: FormContext): Node[] {
  const passkeyChallenge = newChallenge()
  const passkeyHandle = newHandle()
  remember({ passkeyChallenge, passkeyHandle })
  const user = { name: relyingPartyName, id: encodeHandle(passkeyHandle) }
  const publicKey = creationOptions(service, { type: 'passkey', challenge: passkeyChallenge, user, existingIds: [] })
  const data = { credentialOptions: { publicKey }, displayNameFieldName: nameField }
  return [
    scriptNode(service),
    input('passkey', 'passkey_register_trigger', 'button', {
      onClick: { trigger: 'oryPasskeyRegistration' },
      label: label.passkeySignUp,
    }),
    input('passkey', 'passkey_register', 'hidden'),
    input('passkey', 'passkey_create_data', 'hidden', { value: JSON.stringify(data) }),
  ]
}

async function settingsNodes({ service, identity, remember }: IdentityFormContext): Promise<Node[]> {
  const storedKeys = await readKeys(service.db, identity.id, 'passkey')
  const passkeyChallenge = newChallenge()
  const passkeyHandle = storedKeys?.handle ?? newHandle()
  remember({ passkeyChallenge, passkeyHandle })
  const keys = storedKeys?.keys ?? []
  const isLast = keys.length > 0 && (await countFirstFactors(service, service.db, identity.id)) < 2
  const publicKey = creationOptions(service, {
    type: 'passkey',
    challenge: passkeyChallenge,
    user: { name: identity.traits.email, id: encodeHandle(passkeyHandle) },
    existingIds: keys.map(({ id }) => id),
  })
  return [
    ...keys.map(({ id, name, addedAt }) =>
      input('passkey', 'passkey_remove', 'submit', {
        value: toHex(id),
        disabled: isLast,
        label: label.removePasskey(name, new Date(addedAt)),
      }),
    ),
    input('passkey', 'passkey_register_trigger', 'button', {
      value: '',
      onClick: { trigger: 'oryPasskeySettingsRegistration' },
      label: label.addPasskey,
    }),
    input('passkey', 'passkey_settings_register', 'hidden'),
    input('passkey', 'passkey_create_data', 'hidden', { value: JSON.stringify({ publicKey }) }),
    scriptNode(service),
  ]
}

/** Generates a random user handle, which must not contain personal data (WebAuthn Level 3, section 14.6.1). */
function newHandle(): string {
  return Array.from({ length: handleLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}

function encodeHandle(handle: string): string {
  return Buffer.from(handle).toString('base64url')
}

async function signIn(exchange: Exchange, fields: Fields, flow: Flow): Promise<LoginOutcome> {
  const { service } = exchange
  const response = textOf(fields, 'passkey_login')
  // Without an assertion, return to the page, whose script starts the ceremony.
  if (!response) throw locationChangeRequired(pageUrl(service, 'login', flow.id))
  const assertion = readAssertion(response)
  if (!assertion) return rejected(malformedAssertion)
  const identityId = await findAssertionOwner(exchange, assertion)
  if (!identityId) return rejected(onForm(errorMessage.keyUnknown))
  const owner = { identityId, type: 'passkey' as const }
  const outcome = await signInWithKey(exchange, flow, owner, flow.memory.passkeyChallenge, assertion)
  if (outcome.kind !== 'authenticated') return outcome
  const identity = await findIdentity(service.db, identityId)
  if (identity?.state !== 'active') return rejected(onForm(errorMessage.accountDisabled))
  return outcome
}

/** Finds the identity by the user handle; without a handle, uses the current session's identity. */
async function findAssertionOwner(exchange: Exchange, { response }: Assertion): Promise<string | null> {
  const { userHandle } = response
  if (!userHandle) return (await exchange.session())?.identity.id ?? null
  const handle = Buffer.from(userHandle, 'base64url').toString('utf8')
  return /^[A-Za-z0-9]{1,64}$/.test(handle) ? findHandleOwner(exchange.service.db, handle) : null
}

async function signUp(
  { service, client }: Exchange,
  fields: Fields,
  _traits: unknown,
  flow: Flow,
): Promise<RegistrationOutcome> {
  const response = textOf(fields, 'passkey_register')
  if (!response) return rejected(onForm(errorMessage.registrationNoMethod))
  const attestation = readAttestation(response)
  if (!attestation) return rejected(malformedAttestation)
  const { passkeyChallenge, passkeyHandle: handle } = flow.memory
  const key = await verifyAttestation(service, flow, passkeyChallenge, attestation, client)
  if (!key || !handle) return { ...rejected(notVerified), needsNewChallenge: true }
  return {
    kind: 'ready',
    attach: async (tx, identityId) => {
      const isNew = await addKey(tx, identityId, 'passkey', { handle, key }, service.now())
      if (!isNew) throw badRequest('This passkey is already in use.')
    },
  }
}

async function applyChange(
  exchange: Exchange,
  session: LiveSession,
  fields: Fields,
  flow: Flow,
): Promise<SettingsOutcome> {
  const remove = textOf(fields, 'passkey_remove')
  const response = textOf(fields, 'passkey_settings_register')
  if (!remove && !response) return rejected(onForm(errorMessage.settingsNoMethod))
  if (!isPrivileged(exchange.service, session)) return { kind: 'reauthenticate' }
  return remove ? removePasskey(exchange, session, remove) : addPasskey(exchange, session, response, flow)
}

async function addPasskey(
  exchange: Exchange,
  { identity }: LiveSession,
  response: string,
  flow: Flow,
): Promise<SettingsOutcome> {
  const { service, client } = exchange
  const attestation = readAttestation(response)
  if (!attestation) return rejected(malformedAttestation)
  const { passkeyChallenge, passkeyHandle: handle } = flow.memory
  const key = await verifyAttestation(service, flow, passkeyChallenge, attestation, client)
  if (!key || !handle) return rejected(notVerified)
  const isNew = await service.db
    .transaction()
    .execute((tx) => addKey(tx, identity.id, 'passkey', { handle, key }, service.now()))
  if (!isNew) return rejected(onForm(errorMessage.generic('This passkey is already in use.')))
  emitEvent(exchange, 'passkey_added', identity.id, key.name)
  return { kind: 'saved', completedMethod: { method: 'passkey', aal: 'aal1' } }
}

async function removePasskey(exchange: Exchange, { identity }: LiveSession, hex: string): Promise<SettingsOutcome> {
  const { service } = exchange
  const storedKeys = await readKeys(service.db, identity.id, 'passkey')
  const key = storedKeys?.keys.find(({ id }) => toHex(id) === hex.toLowerCase())
  if (!key) return rejected(onForm(errorMessage.generic('You tried to remove a passkey which does not exist.')))
  const isRemoved = await removeUnlessLast(service, identity.id, (tx) =>
    deleteKey(tx, identity.id, 'passkey', key.id, service.now()),
  )
  if (!isRemoved) return rejected(onField('webauthn_remove', errorMessage.lastKey))
  emitEvent(exchange, 'passkey_removed', identity.id, key.name)
  return { kind: 'saved' }
}
