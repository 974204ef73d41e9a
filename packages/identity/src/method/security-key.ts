/** Security keys (WebAuthn without user verification) as a second factor. */
import { randomBytes } from 'node:crypto'
import { isPrivileged } from '#assurance.ts'
import type { Flow } from '#store.ts'
import { type Fields, textOf } from '#http/body.ts'
import { tell } from '#http/exchange.ts'
import {
  type Exchange,
  type HeldScene,
  type LoginOutcome,
  type Method,
  type SettingsOutcome,
  refused,
  type LiveSession,
} from '#service.ts'
import { identifierNode } from '#method/identifier.ts'
import { attempt, tooManyAttempts } from '#throttle.ts'
import { label, onForm } from '#ui/message.ts'
import { type Node, input } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'
import {
  acceptKey,
  checkAssertion,
  creationOptions,
  newChallenge,
  readAssertion,
  readAttestation,
  relyingPartyName,
  requestOptions,
} from '#webauthn/ceremony.ts'
import { addKey, dropKey, readKeys } from '#webauthn/key.ts'
import { scriptNode } from '#webauthn/script.ts'

const name = 'webauthn'
/** Longest name of a key, in characters. */
const keyNameLengthMax = 64

export const securityKey: Method = {
  name,
  claims: (fields) => ['webauthn_login', 'webauthn_register', 'webauthn_remove'].some((field) => textOf(fields, field)),
  secondFactor: { nodes: loginNodes, submit: prove },
  settings: { nodes: settingsNodes, submit: change },
}

async function loginNodes(scene: HeldScene): Promise<Node[]> {
  const { service, holder, remember } = scene
  const present = await readKeys(service.db, holder.id, name)
  const webauthnChallenge = newChallenge()
  remember({ webauthnChallenge })
  const ids = present?.keys.map(({ id }) => id) ?? []
  const options = JSON.stringify({ publicKey: requestOptions(service, name, webauthnChallenge, ids) })
  return [
    identifierNode(scene),
    input(name, 'webauthn_login', 'hidden', { value: '' }),
    scriptNode(service),
    input(name, 'webauthn_login_trigger', 'button', {
      value: options,
      onClick: { trigger: 'oryWebAuthnLogin', argument: options },
      label: label.securityKeySignIn,
    }),
  ]
}

async function settingsNodes({ service, holder, remember }: HeldScene): Promise<Node[]> {
  const keys = (await readKeys(service.db, holder.id, name))?.keys ?? []
  const webauthnChallenge = newChallenge()
  remember({ webauthnChallenge })
  const user = { name: relyingPartyName, id: randomBytes(16).toString('base64url') }
  const present = keys.map(({ id }) => id)
  const options = JSON.stringify({
    publicKey: creationOptions(service, { type: name, challenge: webauthnChallenge, user, present }),
  })
  return [
    ...keys.map((key) =>
      input(name, 'webauthn_remove', 'submit', {
        value: hexOf(key.id),
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

function hexOf(keyId: string): string {
  return Buffer.from(keyId, 'base64url').toString('hex')
}

async function prove(exchange: Exchange, { identity }: LiveSession, fields: Fields, flow: Flow): Promise<LoginOutcome> {
  const { service } = exchange
  const assertion = readAssertion(textOf(fields, 'webauthn_login'))
  if (!assertion) return refused(onForm(problem.generic('Unable to parse WebAuthn response.')))
  if (!identity.credential_types.includes(name)) return refused(onForm(problem.securityKeysMissing))
  using guess = await attempt(service, name, identity.id, exchange.client.ip)
  if (guess.isRefused) return refused(onForm(problem.generic(tooManyAttempts)))
  const owner = { identityId: identity.id, type: name } as const
  const proof = await checkAssertion(service, flow, flow.memory.webauthnChallenge, owner, assertion)
  if (proof === 'cloned') tell(exchange, 'key_cloned', identity.id, name)
  if (proof !== 'right') {
    tell(exchange, 'sign_in_failed', identity.id, name)
    return { ...refused(onForm(problem.totpWrong)), isSpent: true }
  }
  await guess.forgive()
  return { kind: 'passed', identityId: identity.id }
}

async function change(exchange: Exchange, session: LiveSession, fields: Fields, flow: Flow): Promise<SettingsOutcome> {
  const remove = textOf(fields, 'webauthn_remove')
  const given = textOf(fields, 'webauthn_register')
  if (!remove && !given) return refused(onForm(problem.settingsNoMethod))
  if (!isPrivileged(exchange.service, session)) return { kind: 'reauthenticate' }
  return remove ? removeKey(exchange, session, remove) : add(exchange, session, fields, flow)
}

async function add(
  exchange: Exchange,
  { identity }: LiveSession,
  fields: Fields,
  flow: Flow,
): Promise<SettingsOutcome> {
  const { service } = exchange
  const attestation = readAttestation(textOf(fields, 'webauthn_register'))
  if (!attestation) {
    return refused(onForm(problem.generic('Unable to parse WebAuthn response: Parse error for Registration')))
  }
  const keyName = textOf(fields, 'webauthn_register_displayname').trim().slice(0, keyNameLengthMax)
  const key = await acceptKey(service, flow, flow.memory.webauthnChallenge, attestation, { name: keyName || 'unnamed' })
  if (!key) {
    const reason = 'Unable to create WebAuthn credential: the response does not fit this form. Please try again.'
    return refused(onForm(problem.generic(reason)))
  }
  const isNew = await service.db
    .transaction()
    .execute((tx) => addKey(tx, identity.id, name, { handle: '', key }, service.now()))
  if (!isNew) return refused(onForm(problem.generic('This security key is already in use.')))
  tell(exchange, 'second_factor_added', identity.id, name)
  return { kind: 'saved', proves: { method: name, aal: 'aal2' } }
}

async function removeKey(exchange: Exchange, { identity }: LiveSession, hex: string): Promise<SettingsOutcome> {
  const { service } = exchange
  const present = await readKeys(service.db, identity.id, name)
  const key = present?.keys.find(({ id }) => hexOf(id) === hex.toLowerCase())
  if (!key) return refused(onForm(problem.generic('You tried to remove a security key which does not exist.')))
  await service.db.transaction().execute((tx) => dropKey(tx, identity.id, name, key.id, service.now()))
  tell(exchange, 'second_factor_removed', identity.id, name)
  return { kind: 'saved' }
}
