/**
 * Printed back-up codes as a second factor. They can be shown again to their owner, so they are kept
 * sealed with the installation's secret and not as hashes; each works once.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { isPrivileged } from '#assurance.ts'
import type { Flow } from '#store.ts'
import { type Fields, isPressed, textOf } from '#http/body.ts'
import { tell } from '#http/exchange.ts'
import {
  type Exchange,
  type HeldScene,
  type LoginOutcome,
  type Method,
  type SettingsOutcome,
  refused,
  type Service,
  type LiveSession,
} from '#service.ts'
import { dropCredential, lockCredential, readCredential, writeCredential } from '#method/credential.ts'
import { seal, unseal } from '#seal.ts'
import { attempt, tooManyAttempts } from '#throttle.ts'
import { type Message, label, on, onForm, shown } from '#ui/message.ts'
import { type Node, input, submit, text } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'

const name = 'lookup_secret'
const codesPerAccount = 12
const codeLength = 8
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

const Config = z.object({ sealed: z.base64() })
const Codes = z.array(z.object({ code: z.string(), usedAt: z.iso.datetime().nullable() })).readonly()
type Codes = z.infer<typeof Codes>

const buttons = ['reveal', 'regenerate', 'confirm', 'disable'] as const

export const lookupSecret: Method = {
  name,
  claims: (fields) => textOf(fields, name) !== '' || buttons.some((button) => isPressed(fields, `${name}_${button}`)),
  secondFactor: {
    nodes: () => [
      input(name, name, 'text', { value: '', required: true, label: label.lookupSecret }),
      submit(name, name, label.useLookupSecret),
    ],
    submit: prove,
  },
  settings: { nodes, submit: change },
}

function nodes({ holder, memory, remember }: HeldScene): Node[] {
  if (memory.lookupCodes) {
    remember({ lookupCodes: memory.lookupCodes })
    return unconfirmedNodes(memory.lookupCodes)
  }
  if (!holder.credential_types.includes(name)) return [button('regenerate', label.regenerateLookupSecrets)]
  return [button('reveal', label.revealLookupSecrets), button('disable', label.disableLookupSecrets)]
}

function unconfirmedNodes(codes: readonly string[]): Node[] {
  return [codesNode(codes.map(shown.lookupSecret)), button('confirm', label.confirmLookupSecrets)]
}

function button(action: (typeof buttons)[number], words: Message): Node {
  return input(name, `${name}_${action}`, 'submit', { value: 'true', label: words })
}

function codesNode(codes: readonly Message[]): Node {
  return text(name, `${name}_codes`, shown.lookupSecrets(codes), label.lookupSecrets)
}

async function prove(exchange: Exchange, { identity }: LiveSession, fields: Fields): Promise<LoginOutcome> {
  const { service } = exchange
  const code = textOf(fields, name).trim().toLowerCase()
  if (!code) return refused(on(name, problem.required(name)))
  using guess = await attempt(service, name, identity.id, exchange.client.ip)
  if (guess.isRefused) {
    tell(exchange, 'throttled', identity.id, name)
    return refused(onForm(problem.generic(tooManyAttempts)))
  }
  const fault = await spend(service, identity.id, code)
  if (fault) {
    tell(exchange, 'sign_in_failed', identity.id, name)
    return refused(onForm(fault))
  }
  await guess.forgive()
  return { kind: 'passed', identityId: identity.id }
}

/** Takes a code once; the row's lock decides a race. @returns what is wrong, or null */
function spend(service: Service, identityId: string, given: string): Promise<Message | null> {
  return service.db.transaction().execute(async (tx) => {
    const kept = await lockCredential(tx, identityId, name)
    if (kept === undefined) return problem.lookupSecretsMissing
    const codes = open(service, kept)
    const found = codes.find(({ code }) => isSame(code, given))
    if (!found) return problem.lookupSecretWrong
    if (found.usedAt) return problem.lookupSecretUsed
    const usedAt = service.now().toISOString()
    const spent = codes.map((one) => (one === found ? { ...one, usedAt } : one))
    await writeCredential(tx, identityId, name, close(service, spent), service.now())
    return null
  })
}

function isSame(code: string, given: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(code), digest(given))
}

async function change(exchange: Exchange, session: LiveSession, fields: Fields, flow: Flow): Promise<SettingsOutcome> {
  const { service } = exchange
  const pressed = buttons.find((one) => isPressed(fields, `${name}_${one}`))
  if (!pressed) return refused(onForm(problem.settingsNoMethod))
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
  const kept = await readCredential(service.db, identity.id, name)
  if (kept === undefined) return refused(onForm(problem.lookupSecretsMissing))
  const codes = open(service, kept).map(({ code, usedAt }) =>
    usedAt ? shown.usedLookupSecret(new Date(usedAt)) : shown.lookupSecret(code),
  )
  return {
    kind: 'shown',
    nodes: [
      codesNode(codes),
      button('disable', label.disableLookupSecrets),
      button('regenerate', label.regenerateLookupSecrets),
    ],
  }
}

function regenerate(): SettingsOutcome {
  const lookupCodes = Array.from({ length: codesPerAccount }, newCode)
  return { kind: 'shown', nodes: unconfirmedNodes(lookupCodes), memory: { lookupCodes } }
}

function newCode(): string {
  return Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}

async function confirm(exchange: Exchange, { identity }: LiveSession, flow: Flow): Promise<SettingsOutcome> {
  const { service } = exchange
  const codes = flow.memory.lookupCodes?.map((code) => ({ code, usedAt: null }))
  if (!codes) return refused(onForm(problem.lookupSecretsMissing))
  await writeCredential(service.db, identity.id, name, close(service, codes), service.now())
  tell(exchange, 'second_factor_added', identity.id, name)
  return { kind: 'saved', proves: { method: name, aal: 'aal2' } }
}

async function disable(exchange: Exchange, { identity }: LiveSession): Promise<SettingsOutcome> {
  const wasThere = await dropCredential(exchange.service.db, identity.id, name)
  if (wasThere) tell(exchange, 'second_factor_removed', identity.id, name)
  return { kind: 'saved' }
}

function close(service: Service, codes: Codes): z.infer<typeof Config> {
  return { sealed: seal(service, 'identity lookup_secret', JSON.stringify(codes)).toString('base64') }
}

function open(service: Service, config: unknown): Codes {
  const bytes = Buffer.from(Config.parse(config).sealed, 'base64')
  return Codes.parse(JSON.parse(unseal(service, 'identity lookup_secret', bytes)))
}
