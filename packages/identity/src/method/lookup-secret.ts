/** Single-use backup codes as a second factor. Users can view them again, so they are encrypted instead of hashed. */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { isPrivileged } from '#assurance.ts'
import type { Flow } from '#store.ts'
import { type Fields, isPressed, textOf } from '#http/body.ts'
import { emitEvent } from '#http/exchange.ts'
import {
  type Exchange,
  type IdentityFormContext,
  type LoginOutcome,
  type Method,
  type SettingsOutcome,
  rejected,
  type Service,
  type LiveSession,
} from '#service.ts'
import { deleteCredential, lockCredential, readCredential, writeCredential } from '#method/credential.ts'
import { seal, unseal } from '#seal.ts'
import { beginAttempt, throttled } from '#throttle.ts'
import { type Message, label, onField, onForm, nodeText } from '#ui/message.ts'
import { type Node, input, submit, text } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

const name = 'lookup_secret'
const codesPerAccount = 12
const codeLength = 8
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

const Config = z.object({ sealed: z.base64() })
const Codes = z.array(z.object({ code: z.string(), usedAt: z.iso.datetime().nullable() })).readonly()
type Codes = z.infer<typeof Codes>

const nothingToReveal = 'Can not reveal lookup codes because you have none.'
const nothingToConfirm = 'You must (re-)generate recovery backup codes before you can save them.'
const buttons = ['reveal', 'regenerate', 'confirm', 'disable'] as const

export const lookupSecret: Method = {
  name,
  matches: (fields) => textOf(fields, name) !== '' || buttons.some((button) => isPressed(fields, `${name}_${button}`)),
  secondFactor: {
    nodes: () => [
      input(name, name, 'text', { value: '', required: true, label: label.lookupSecret }),
      submit(name, name, label.useLookupSecret),
    ],
    submit: verifyCode,
  },
  settings: { nodes, submit: applyChange },
}

function nodes({ identity, memory, remember }: IdentityFormContext): Node[] {
  if (memory.lookupCodes) {
    remember({ lookupCodes: memory.lookupCodes })
    return unconfirmedNodes(memory.lookupCodes)
  }
  if (!identity.credential_types.includes(name)) return [button('regenerate', label.regenerateLookupSecrets)]
  return [button('reveal', label.revealLookupSecrets), button('disable', label.disableLookupSecrets)]
}

function unconfirmedNodes(codes: readonly string[]): Node[] {
  return [codesNode(codes.map(nodeText.lookupSecret)), button('confirm', label.confirmLookupSecrets)]
}

function button(action: (typeof buttons)[number], caption: Message): Node {
  return input(name, `${name}_${action}`, 'submit', { value: 'true', label: caption })
}

function codesNode(codes: readonly Message[]): Node {
  return text(name, `${name}_codes`, nodeText.lookupSecrets(codes), label.lookupSecrets)
}

async function verifyCode(exchange: Exchange, { identity }: LiveSession, fields: Fields): Promise<LoginOutcome> {
  const { service } = exchange
  const code = textOf(fields, name).trim().toLowerCase()
  if (!code) return rejected(onField(name, errorMessage.required(name)))
  using attempt = await beginAttempt(service, name, identity.id, exchange.client.ip)
  if (attempt.isThrottled) return throttled(exchange, identity.id, name)
  const error = await consumeCode(service, identity.id, code)
  if (error) {
    emitEvent(exchange, 'sign_in_failed', identity.id, name)
    return rejected(onForm(error))
  }
  await attempt.refund()
  return { kind: 'authenticated', identityId: identity.id }
}

/** Consumes a code. The row lock prevents concurrent reuse. @returns an error, or null on success */
function consumeCode(service: Service, identityId: string, submittedCode: string): Promise<Message | null> {
  return service.db.transaction().execute(async (tx) => {
    const stored = await lockCredential(tx, identityId, name)
    if (stored === undefined) return errorMessage.lookupSecretsMissing
    const codes = unsealCodes(service, stored)
    const match = codes.find(({ code }) => isEqual(code, submittedCode))
    if (!match) return errorMessage.lookupSecretWrong
    if (match.usedAt) return errorMessage.lookupSecretUsed
    const usedAt = service.now().toISOString()
    const updated = codes.map((entry) => (entry === match ? { ...entry, usedAt } : entry))
    await writeCredential(tx, identityId, name, sealCodes(service, updated), service.now())
    return null
  })
}

function isEqual(code: string, submittedCode: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(code), digest(submittedCode))
}

async function applyChange(
  exchange: Exchange,
  session: LiveSession,
  fields: Fields,
  flow: Flow,
): Promise<SettingsOutcome> {
  const { service } = exchange
  const pressed = buttons.find((entry) => isPressed(fields, `${name}_${entry}`))
  if (!pressed) return rejected(onForm(errorMessage.settingsNoMethod))
  if (!isPrivileged(service, session)) return { kind: 'reauthenticate' }
  switch (pressed) {
    case 'reveal':
      return reveal(service, session)
    case 'regenerate':
      return regenerate()
    case 'confirm':
      return confirm(exchange, session, flow)
    case 'disable':
      return disable(exchange, session)
  }
}

async function reveal(service: Service, { identity }: LiveSession): Promise<SettingsOutcome> {
  const stored = await readCredential(service.db, identity.id, name)
  if (stored === undefined) return rejected(onForm(errorMessage.generic(nothingToReveal)))
  const codes = unsealCodes(service, stored).map(({ code, usedAt }) =>
    usedAt ? nodeText.usedLookupSecret(new Date(usedAt)) : nodeText.lookupSecret(code),
  )
  return {
    kind: 'form_updated',
    nodes: [
      codesNode(codes),
      button('disable', label.disableLookupSecrets),
      button('regenerate', label.regenerateLookupSecrets),
    ],
  }
}

function regenerate(): SettingsOutcome {
  const lookupCodes = Array.from({ length: codesPerAccount }, newCode)
  return { kind: 'form_updated', nodes: unconfirmedNodes(lookupCodes), memory: { lookupCodes } }
}

function newCode(): string {
  return Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}

async function confirm(exchange: Exchange, { identity }: LiveSession, flow: Flow): Promise<SettingsOutcome> {
  const { service } = exchange
  const codes = flow.memory.lookupCodes?.map((code) => ({ code, usedAt: null }))
  if (!codes) return rejected(onForm(errorMessage.generic(nothingToConfirm)))
  await writeCredential(service.db, identity.id, name, sealCodes(service, codes), service.now())
  emitEvent(exchange, 'second_factor_added', identity.id, name)
  return { kind: 'saved', completedMethod: { method: name, aal: 'aal2' } }
}

async function disable(exchange: Exchange, { identity }: LiveSession): Promise<SettingsOutcome> {
  const wasEnrolled = await deleteCredential(exchange.service.db, identity.id, name)
  if (wasEnrolled) emitEvent(exchange, 'second_factor_removed', identity.id, name)
  return { kind: 'saved' }
}

function sealCodes(service: Service, codes: Codes): z.infer<typeof Config> {
  return { sealed: seal(service, 'identity lookup_secret', JSON.stringify(codes)).toString('base64') }
}

function unsealCodes(service: Service, config: unknown): Codes {
  const bytes = Buffer.from(Config.parse(config).sealed, 'base64')
  return Codes.parse(JSON.parse(unseal(service, 'identity lookup_secret', bytes)))
}
