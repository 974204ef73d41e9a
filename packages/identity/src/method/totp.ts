/** Codes of an authenticator app as a second factor (RFC 6238: SHA-1, 6 digits, 30 seconds). */
import { Secret, TOTP } from 'otpauth'
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
import { dropCredential, lockCredential, writeCredential } from '#method/credential.ts'
import { seal, unseal } from '#seal.ts'
import { attempt, tooManyAttempts } from '#throttle.ts'
import { label, on, onForm, shown } from '#ui/message.ts'
import { type Node, image, input, submit, text } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'

const issuer = 'Glacis'
const secretBytes = 20
const periodSeconds = 30
const pictureSize = 256

/** The secret is sealed; `step` is the last time step of which a code was taken. */
const Config = z.object({ sealed: z.base64(), step: z.number().int() })

export const totp: Method = {
  name: 'totp',
  claims: (fields) => textOf(fields, 'totp_code') !== '' || isPressed(fields, 'totp_unlink'),
  secondFactor: {
    nodes: () => [
      input('totp', 'totp_code', 'text', { value: '', required: true, label: label.totpCode }),
      submit('totp', 'totp', label.useTotp),
    ],
    submit: prove,
  },
  settings: {
    nodes: (scene) => (scene.holder.credential_types.includes('totp') ? [unlinkNode()] : enrolNodes(scene)),
    submit: change,
  },
}

function unlinkNode(): Node {
  return input('totp', 'totp_unlink', 'submit', { value: 'true', required: true, label: label.unlinkTotp })
}

async function enrolNodes({ holder, memory, remember }: HeldScene): Promise<Node[]> {
  const secret = memory.totpSecret ?? new Secret({ size: secretBytes }).base32
  remember({ totpSecret: secret })
  const uri = generator(secret, holder.traits.email).toString()
  const { toDataURL } = await import('qrcode')
  // Black and white, each line as what differs from the one above: to try every filter in colour takes twice as long.
  const rendererOpts = { colorType: 0, filterType: 2 }
  const drawing = { type: 'image/png' as const, width: pictureSize, margin: 2, rendererOpts }
  const picture = await toDataURL(uri, drawing)
  return [
    image('totp', 'totp_qr', picture, pictureSize, label.totpPicture),
    text('totp', 'totp_secret_key', shown.totpSecret(secret), label.totpSecret),
    input('totp', 'totp_code', 'text', { required: true, label: label.verifyTotp }),
    submit('totp', 'totp', label.save),
  ]
}

async function prove(exchange: Exchange, { identity }: LiveSession, fields: Fields): Promise<LoginOutcome> {
  const { service } = exchange
  const code = textOf(fields, 'totp_code').trim()
  if (!code) return refused(on('totp_code', problem.required('totp_code')))
  using guess = await attempt(service, 'totp', identity.id, exchange.client.ip)
  if (guess.isRefused) {
    tell(exchange, 'throttled', identity.id, 'totp')
    return refused(onForm(problem.generic(tooManyAttempts)))
  }
  const verdict = await spend(service, identity.id, code)
  if (verdict === 'absent') return refused(onForm(problem.totpMissing))
  if (verdict === 'wrong') {
    tell(exchange, 'sign_in_failed', identity.id, 'totp')
    return refused(onForm(problem.totpWrong))
  }
  await guess.forgive()
  return { kind: 'passed', identityId: identity.id }
}

/** Takes a code once: neither it nor an older one opens anything again. The row's lock decides a race. */
function spend(service: Service, identityId: string, code: string): Promise<'right' | 'wrong' | 'absent'> {
  return service.db.transaction().execute(async (tx) => {
    const kept = await lockCredential(tx, identityId, 'totp')
    if (kept === undefined) return 'absent'
    const config = Config.safeParse(kept)
    if (!config.success) return 'wrong'
    const { sealed, step: lastStep } = config.data
    const step = stepOf(unseal(service, 'identity totp', Buffer.from(sealed, 'base64')), code, service.now())
    if (step === null || step <= lastStep) return 'wrong'
    await writeCredential(tx, identityId, 'totp', { sealed, step }, service.now())
    return 'right'
  })
}

async function change(exchange: Exchange, session: LiveSession, fields: Fields, flow: Flow): Promise<SettingsOutcome> {
  const { service } = exchange
  if (!isPrivileged(service, session)) return { kind: 'reauthenticate' }
  const isEnrolled = session.identity.credential_types.includes('totp')
  if (isPressed(fields, 'totp_unlink')) return unlink(exchange, session)
  // The wire's clients take a code for an enrolled account for done.
  return isEnrolled ? { kind: 'saved' } : enrol(exchange, session, fields, flow)
}

async function unlink(exchange: Exchange, { identity }: LiveSession): Promise<SettingsOutcome> {
  const wasThere = await dropCredential(exchange.service.db, identity.id, 'totp')
  if (wasThere) tell(exchange, 'second_factor_removed', identity.id, 'totp')
  return { kind: 'saved' }
}

async function enrol(
  exchange: Exchange,
  { identity }: LiveSession,
  fields: Fields,
  flow: Flow,
): Promise<SettingsOutcome> {
  const { service } = exchange
  const code = textOf(fields, 'totp_code').trim()
  if (!code) return refused(on('totp_code', problem.required('totp_code')))
  const secret = flow.memory.totpSecret
  const step = secret ? stepOf(secret, code, service.now()) : null
  if (!secret || step === null) return refused(on('totp_code', problem.totpWrong))
  const sealed = seal(service, 'identity totp', secret).toString('base64')
  await writeCredential(service.db, identity.id, 'totp', { sealed, step }, service.now())
  tell(exchange, 'second_factor_added', identity.id, 'totp')
  return { kind: 'saved', proves: { method: 'totp', aal: 'aal2' } }
}

/** The time step that a code belongs to; one step of skew either way. Null for a wrong code. */
function stepOf(secret: string, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const delta = generator(secret).validate({ token: code, timestamp: now.getTime(), window: 1 })
  return delta === null ? null : Math.floor(now.getTime() / 1000 / periodSeconds) + delta
}

function generator(secret: string, account = ''): TOTP {
  return new TOTP({
    issuer,
    label: account,
    algorithm: 'SHA1',
    digits: 6,
    period: periodSeconds,
    secret: Secret.fromBase32(secret),
  })
}
