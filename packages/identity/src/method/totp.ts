/** Authenticator apps as a second factor (RFC 6238 TOTP: SHA-1, 6 digits, 30 seconds). */
import { Secret, TOTP } from 'otpauth'
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
import { deleteCredential, lockCredential, writeCredential } from '#method/credential.ts'
import { seal, unseal } from '#seal.ts'
import { beginAttempt, throttled } from '#throttle.ts'
import { label, onField, onForm, nodeText } from '#ui/message.ts'
import { type Node, image, input, submit, text } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

const issuer = 'Glacis'
const secretBytes = 20
const periodSeconds = 30
const imageSize = 256

/** The encrypted secret, and the time step of the last accepted code. */
const Config = z.object({ sealed: z.base64(), step: z.number().int() })

export const totp: Method = {
  name: 'totp',
  matches: (fields) => textOf(fields, 'totp_code') !== '' || isPressed(fields, 'totp_unlink'),
  secondFactor: {
    nodes: () => [
      input('totp', 'totp_code', 'text', { value: '', required: true, label: label.totpCode }),
      submit('totp', 'totp', label.useTotp),
    ],
    submit: verifyCode,
  },
  settings: {
    nodes: (context) => (context.identity.credential_types.includes('totp') ? [unlinkNode()] : enrollNodes(context)),
    submit: applyChange,
  },
}

function unlinkNode(): Node {
  return input('totp', 'totp_unlink', 'submit', { value: 'true', required: true, label: label.unlinkTotp })
}

async function enrollNodes({ identity, memory, remember }: IdentityFormContext): Promise<Node[]> {
  const secret = memory.totpSecret ?? new Secret({ size: secretBytes }).base32
  remember({ totpSecret: secret })
  const uri = createTotp(secret, identity.traits.email).toString()
  const { toDataURL } = await import('qrcode')
  // Grayscale with a fixed PNG filter: trying all filters in color takes twice as long.
  const rendererOpts = { colorType: 0, filterType: 2 }
  const options = { type: 'image/png' as const, width: imageSize, margin: 2, rendererOpts }
  const qrCode = await toDataURL(uri, options)
  return [
    image('totp', 'totp_qr', qrCode, imageSize, label.totpPicture),
    text('totp', 'totp_secret_key', nodeText.totpSecret(secret), label.totpSecret),
    input('totp', 'totp_code', 'text', { required: true, label: label.verifyTotp }),
    submit('totp', 'totp', label.save),
  ]
}

async function verifyCode(exchange: Exchange, { identity }: LiveSession, fields: Fields): Promise<LoginOutcome> {
  const { service } = exchange
  const code = textOf(fields, 'totp_code').trim()
  if (!code) return rejected(onField('totp_code', errorMessage.required('totp_code')))
  using attempt = await beginAttempt(service, 'totp', identity.id, exchange.client.ip)
  if (attempt.isThrottled) return throttled(exchange, identity.id, 'totp')
  const result = await consumeCode(service, identity.id, code)
  if (result === 'not_enrolled') return rejected(onForm(errorMessage.totpMissing))
  if (result === 'invalid') {
    emitEvent(exchange, 'sign_in_failed', identity.id, 'totp')
    return rejected(onForm(errorMessage.totpWrong))
  }
  await attempt.refund()
  return { kind: 'authenticated', identityId: identity.id }
}

/** Accepts a code only if it is newer than the last accepted one. The row lock prevents concurrent reuse. */
function consumeCode(
  service: Service,
  identityId: string,
  code: string,
): Promise<'valid' | 'invalid' | 'not_enrolled'> {
  return service.db.transaction().execute(async (tx) => {
    const stored = await lockCredential(tx, identityId, 'totp')
    if (stored === undefined) return 'not_enrolled'
    const config = Config.safeParse(stored)
    if (!config.success) return 'invalid'
    const { sealed, step: lastStep } = config.data
    const step = findTimeStep(unseal(service, 'identity totp', Buffer.from(sealed, 'base64')), code, service.now())
    if (step === null || step <= lastStep) return 'invalid'
    await writeCredential(tx, identityId, 'totp', { sealed, step }, service.now())
    return 'valid'
  })
}

async function applyChange(
  exchange: Exchange,
  session: LiveSession,
  fields: Fields,
  flow: Flow,
): Promise<SettingsOutcome> {
  const { service } = exchange
  if (!isPrivileged(service, session)) return { kind: 'reauthenticate' }
  // As in Kratos, removing a missing factor asks for the code of a new one, and a code while enrolled has no effect.
  if (!session.identity.credential_types.includes('totp')) return enroll(exchange, session, fields, flow)
  return isPressed(fields, 'totp_unlink') ? unlink(exchange, session) : { kind: 'saved' }
}

async function unlink(exchange: Exchange, { identity }: LiveSession): Promise<SettingsOutcome> {
  const wasEnrolled = await deleteCredential(exchange.service.db, identity.id, 'totp')
  if (wasEnrolled) emitEvent(exchange, 'second_factor_removed', identity.id, 'totp')
  return { kind: 'saved' }
}

async function enroll(
  exchange: Exchange,
  { identity }: LiveSession,
  fields: Fields,
  flow: Flow,
): Promise<SettingsOutcome> {
  const { service } = exchange
  const code = textOf(fields, 'totp_code').trim()
  if (!code) return rejected(onField('totp_code', errorMessage.required('totp_code')))
  const secret = flow.memory.totpSecret
  const step = secret ? findTimeStep(secret, code, service.now()) : null
  if (!secret || step === null) return rejected(onField('totp_code', errorMessage.totpWrong))
  const sealed = seal(service, 'identity totp', secret).toString('base64')
  await writeCredential(service.db, identity.id, 'totp', { sealed, step }, service.now())
  emitEvent(exchange, 'second_factor_added', identity.id, 'totp')
  return { kind: 'saved', completedMethod: { method: 'totp', aal: 'aal2' } }
}

/** Finds the time step of a code, with a tolerance of one step. Null for an invalid code. */
function findTimeStep(secret: string, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const delta = createTotp(secret).validate({ token: code, timestamp: now.getTime(), window: 1 })
  return delta === null ? null : Math.floor(now.getTime() / 1000 / periodSeconds) + delta
}

function createTotp(secret: string, account = ''): TOTP {
  return new TOTP({
    issuer,
    label: account,
    algorithm: 'SHA1',
    digits: 6,
    period: periodSeconds,
    secret: Secret.fromBase32(secret),
  })
}
