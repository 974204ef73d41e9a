/** Passkeys: keys of an authenticator that know whom they belong to, as a first factor. */
import { randomInt } from 'node:crypto'
import { isPrivileged } from '#assurance.ts'
import type { Flow } from '#store.ts'
import { type Fields, textOf } from '#http/body.ts'
import { badRequest, locationChangeRequired } from '#http/error.ts'
import { tell } from '#http/exchange.ts'
import {
  type Exchange,
  type HeldScene,
  type LoginOutcome,
  type Method,
  type RegistrationOutcome,
  type Scene,
  type SettingsOutcome,
  refused,
  pageUrl,
  type LiveSession,
} from '#service.ts'
import { findIdentity } from '#identities.ts'
import { countFirstFactors, dropUnlessLast } from '#method/first-factors.ts'
import { identifierNode } from '#method/identifier.ts'
import { attempt, tooManyAttempts } from '#throttle.ts'
import { label, on, onForm } from '#ui/message.ts'
import { type Node, input } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'
import {
  type Assertion,
  acceptKey,
  checkAssertion,
  creationOptions,
  newChallenge,
  readAssertion,
  readAttestation,
  relyingPartyName,
  requestOptions,
} from '#webauthn/ceremony.ts'
import { addKey, dropKey, ownerOfHandle, readKeys } from '#webauthn/key.ts'
import { scriptNode } from '#webauthn/script.ts'

/** The trait that the script shows the authenticator as the account's name. */
const nameField = 'traits.email'
const handleLength = 64
const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

export const passkey: Method = {
  name: 'passkey',
  claims: (fields) =>
    ['passkey_login', 'passkey_register', 'passkey_settings_register', 'passkey_remove'].some((field) =>
      textOf(fields, field),
    ),
  login: { nodes: loginNodes, submit: signIn },
  registration: { nodes: registrationNodes, missing: () => [], submit: signUp },
  settings: { nodes: settingsNodes, submit: change },
}

async function loginNodes(scene: Scene): Promise<Node[]> {
  const { service, holder, remember } = scene
  const keys = holder ? await readKeys(service.db, holder.id, 'passkey') : null
  if (holder && !keys) return []
  const challenge = newChallenge()
  remember({ passkeyChallenge: challenge })
  const ids = keys?.keys.map(({ id }) => id) ?? []
  const publicKey = requestOptions(service, 'passkey', challenge, ids)
  return [
    identifierNode(scene),
    scriptNode(service),
    input('passkey', 'passkey_login_trigger', 'button', {
      value: '',
      onClick: { trigger: 'oryPasskeyLogin' },
      label: label.passkeySignIn,
    }),
    input('passkey', 'passkey_login', 'hidden', holder ? {} : { onLoad: 'oryPasskeyLoginAutocompleteInit' }),
    input('passkey', 'passkey_challenge', 'hidden', { value: JSON.stringify({ publicKey }) }),
  ]
}

function registrationNodes({ service, remember }: Scene): Node[] {
  const passkeyChallenge = newChallenge()
  const passkeyHandle = newHandle()
  remember({ passkeyChallenge, passkeyHandle })
  const user = { name: relyingPartyName, id: encode(passkeyHandle) }
  const publicKey = creationOptions(service, { type: 'passkey', challenge: passkeyChallenge, user, present: [] })
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

async function settingsNodes({ service, holder, remember }: HeldScene): Promise<Node[]> {
  const present = await readKeys(service.db, holder.id, 'passkey')
  const passkeyChallenge = newChallenge()
  const passkeyHandle = present?.handle ?? newHandle()
  remember({ passkeyChallenge, passkeyHandle })
  const keys = present?.keys ?? []
  const isLast = keys.length > 0 && (await countFirstFactors(service, service.db, holder.id)) < 2
  const publicKey = creationOptions(service, {
    type: 'passkey',
    challenge: passkeyChallenge,
    user: { name: holder.traits.email, id: encode(passkeyHandle) },
    present: keys.map(({ id }) => id),
  })
  return [
    ...keys.map(({ id, name, addedAt }) =>
      input('passkey', 'passkey_remove', 'submit', {
        value: hexOf(id),
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

/** A random name for an account that says nothing about it: WebAuthn level 3, section 14.6.1. */
function newHandle(): string {
  return Array.from({ length: handleLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}

function encode(handle: string): string {
  return Buffer.from(handle).toString('base64url')
}

function hexOf(keyId: string): string {
  return Buffer.from(keyId, 'base64url').toString('hex')
}

async function signIn(exchange: Exchange, fields: Fields, flow: Flow): Promise<LoginOutcome> {
  const { service } = exchange
  const given = textOf(fields, 'passkey_login')
  // The portal has the button; a form without an answer is sent back to it.
  if (!given) throw locationChangeRequired(pageUrl(service, 'login', flow.id))
  const assertion = readAssertion(given)
  if (!assertion) return refused(onForm(problem.generic('Unable to parse WebAuthn response.')))
  const identityId = await ownerOf(exchange, assertion)
  if (!identityId) return refused(onForm(problem.keyUnknown))
  using guess = await attempt(service, 'passkey', identityId, exchange.client.ip)
  if (guess.isRefused) return refused(onForm(problem.generic(tooManyAttempts)))
  const owner = { identityId, type: 'passkey' as const }
  const proof = await checkAssertion(service, flow, flow.memory.passkeyChallenge, owner, assertion)
  if (proof === 'cloned') tell(exchange, 'key_cloned', identityId, 'passkey')
  if (proof !== 'right') {
    tell(exchange, 'sign_in_failed', identityId, 'passkey')
    return { ...refused(onForm(problem.totpWrong)), isSpent: true }
  }
  await guess.forgive()
  const identity = await findIdentity(service.db, identityId)
  if (identity?.state !== 'active') return refused(onForm(problem.accountDisabled))
  return { kind: 'passed', identityId }
}

/** Whose key it is, as the authenticator says; one that says nothing speaks for who is signed in. */
async function ownerOf(exchange: Exchange, { response }: Assertion): Promise<string | null> {
  const { userHandle } = response
  if (!userHandle) return (await exchange.session())?.identity.id ?? null
  const handle = Buffer.from(userHandle, 'base64url').toString('utf8')
  return /^[A-Za-z0-9]{1,64}$/.test(handle) ? ownerOfHandle(exchange.service.db, handle) : null
}

const unparsable = onForm(problem.generic('Unable to parse WebAuthn response: Parse error for Registration'))
const notVerified = onForm(
  problem.generic('Unable to create WebAuthn credential: the response does not fit this form. Please try again.'),
)

async function signUp(
  { service, client }: Exchange,
  fields: Fields,
  _traits: unknown,
  flow: Flow,
): Promise<RegistrationOutcome> {
  const given = textOf(fields, 'passkey_register')
  if (!given) return refused(onForm(problem.registrationNoMethod))
  const attestation = readAttestation(given)
  if (!attestation) return refused(unparsable)
  const { passkeyChallenge, passkeyHandle: handle } = flow.memory
  const key = await acceptKey(service, flow, passkeyChallenge, attestation, client)
  if (!key || !handle) return { ...refused(notVerified), isSpent: true }
  return {
    kind: 'ready',
    attach: async (tx, identityId) => {
      const isNew = await addKey(tx, identityId, 'passkey', { handle, key }, service.now())
      if (!isNew) throw badRequest('This passkey is already in use.')
    },
  }
}

async function change(exchange: Exchange, session: LiveSession, fields: Fields, flow: Flow): Promise<SettingsOutcome> {
  const remove = textOf(fields, 'passkey_remove')
  const given = textOf(fields, 'passkey_settings_register')
  if (!remove && !given) return refused(onForm(problem.settingsNoMethod))
  if (!isPrivileged(exchange.service, session)) return { kind: 'reauthenticate' }
  return remove ? removeKey(exchange, session, remove) : add(exchange, session, given, flow)
}

async function add(exchange: Exchange, { identity }: LiveSession, given: string, flow: Flow): Promise<SettingsOutcome> {
  const { service, client } = exchange
  const attestation = readAttestation(given)
  if (!attestation) return refused(unparsable)
  const { passkeyChallenge, passkeyHandle: handle } = flow.memory
  const key = await acceptKey(service, flow, passkeyChallenge, attestation, client)
  if (!key || !handle) return refused(notVerified)
  const isNew = await service.db
    .transaction()
    .execute((tx) => addKey(tx, identity.id, 'passkey', { handle, key }, service.now()))
  if (!isNew) return refused(onForm(problem.generic('This passkey is already in use.')))
  tell(exchange, 'passkey_added', identity.id, key.name)
  return { kind: 'saved', proves: { method: 'passkey', aal: 'aal1' } }
}

async function removeKey(exchange: Exchange, { identity }: LiveSession, hex: string): Promise<SettingsOutcome> {
  const { service } = exchange
  const present = await readKeys(service.db, identity.id, 'passkey')
  const key = present?.keys.find(({ id }) => hexOf(id) === hex.toLowerCase())
  if (!key) return refused(onForm(problem.generic('You tried to remove a passkey which does not exist.')))
  const isGone = await dropUnlessLast(service, identity.id, (tx) =>
    dropKey(tx, identity.id, 'passkey', key.id, service.now()),
  )
  if (!isGone) return refused(on('webauthn_remove', problem.lastKey))
  tell(exchange, 'passkey_removed', identity.id, key.name)
  return { kind: 'saved' }
}
