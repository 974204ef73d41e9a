/** Common to passkeys and security keys: the attempt to sign in, and errors about responses. */
import type { Flow } from '#store.ts'
import { emitEvent } from '#http/exchange.ts'
import { type Exchange, type LoginOutcome, rejected } from '#service.ts'
import { beginAttempt, throttled } from '#throttle.ts'
import { errorMessage } from '#ui/error-message.ts'
import { onForm } from '#ui/message.ts'
import { type Assertion, verifyAssertion } from '#webauthn/ceremony.ts'
import type { KeyType } from '#webauthn/key.ts'

export const malformedAssertion = onForm(errorMessage.generic('Unable to parse WebAuthn response.'))
export const malformedAttestation = onForm(
  errorMessage.generic('Unable to parse WebAuthn response: Parse error for Registration'),
)
export const notVerified = onForm(
  errorMessage.generic('Unable to create WebAuthn credential: the response does not match this form. Try again.'),
)

/** Verifies the response of a key of this identity. Throttled, with an event for each failure. */
export async function signInWithKey(
  exchange: Exchange,
  flow: Flow,
  { identityId, type }: { readonly identityId: string; readonly type: KeyType },
  challenge: string | undefined,
  assertion: Assertion,
): Promise<LoginOutcome> {
  const { service } = exchange
  using attempt = await beginAttempt(service, type, identityId, exchange.client.ip)
  if (attempt.isThrottled) return throttled(exchange, identityId, type)
  const result = await verifyAssertion(service, flow, challenge, { identityId, type }, assertion)
  if (result === 'cloned') emitEvent(exchange, 'key_cloned', identityId, type)
  if (result !== 'valid') {
    emitEvent(exchange, 'sign_in_failed', identityId, type)
    return { ...rejected(onForm(errorMessage.totpWrong)), needsNewChallenge: true }
  }
  await attempt.refund()
  return { kind: 'authenticated', identityId }
}

/** The ID of a key in forms. */
export function toHex(keyId: string): string {
  return Buffer.from(keyId, 'base64url').toString('hex')
}
