/** Emailed codes as a second factor, required of every user if configured. */
import type { Flow } from '#store.ts'
import { type Fields, textOf } from '#http/body.ts'
import { emitEvent } from '#http/exchange.ts'
import { type Exchange, type LoginOutcome, type Method, rejected, type LiveSession } from '#service.ts'
import { type Identity, markVerified, signInAddress } from '#identities.ts'
import { secondFactorMail } from '#mail.ts'
import { codeFields, requestCode, tooManyTries, tryCode } from '#method/code.ts'
import { normalizeAddress } from '#schema.ts'
import { beginAttempt, throttled } from '#throttle.ts'
import { label, notice, onField, onForm } from '#ui/message.ts'
import { type Node, input } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

export const mailedFactor: Method = {
  name: 'code',
  matches: (fields) => textOf(fields, 'address') !== '',
  secondFactor: {
    isForAllIdentities: true,
    nodes: ({ identity }) => [
      input('code', 'address', 'submit', { value: addressOf(identity), label: label.sendCodeTo(addressOf(identity)) }),
    ],
    autoStart: (exchange, session, flow) => sendCode(exchange, session.identity, flow),
    submit: (exchange, session, fields, flow) => {
      const requestedAddress = textOf(fields, 'address')
      if (requestedAddress && normalizeAddress(requestedAddress) !== addressOf(session.identity)) {
        return Promise.resolve(rejected(onForm(errorMessage.addressUnknown)))
      }
      const isCodeRequest = requestedAddress !== '' || textOf(fields, 'resend') !== '' || flow.state !== 'sent_email'
      return isCodeRequest ? sendCode(exchange, session.identity, flow) : verifyCode(exchange, session, fields, flow)
    },
  },
}

/** Codes go to the sign-in address, never to a new address that isn't verified yet. */
function addressOf(identity: Identity): string {
  return normalizeAddress(signInAddress(identity))
}

async function sendCode(exchange: Exchange, identity: Identity, flow: Flow): Promise<LoginOutcome> {
  const address = addressOf(identity)
  await requestCode(exchange, flow, { address, identityId: identity.id }, secondFactorMail)
  return { kind: 'code_sent', nodes: codeNodes(address), message: notice.signInCodeSent, memory: { address } }
}

function codeNodes(address: string): Node[] {
  return [
    input('code', 'identifier', 'hidden', { value: address, label: label.sendCodeTo(address) }),
    ...codeFields(label.signInCode),
  ]
}

async function verifyCode(
  exchange: Exchange,
  { identity }: LiveSession,
  fields: Fields,
  flow: Flow,
): Promise<LoginOutcome> {
  const { service, client } = exchange
  const code = textOf(fields, 'code')
  if (!code) return rejected(onField('code', errorMessage.required('code')))
  using attempt = await beginAttempt(service, 'mailed_code', identity.id, client.ip)
  if (attempt.isThrottled) return throttled(exchange, identity.id, 'code')
  const outcome = await tryCode(service, flow, code)
  if (outcome.kind === 'too_many_tries') return rejected(onForm(tooManyTries))
  // Reject codes of another identity, and codes for an address that the identity no longer has.
  const isOwn = outcome.kind === 'valid' && outcome.identityId === identity.id
  if (!isOwn || outcome.address !== addressOf(identity)) {
    emitEvent(exchange, 'sign_in_failed', identity.id, 'code')
    return rejected(onForm(errorMessage.signInCodeWrong))
  }
  await attempt.refund()
  await markVerified(service.db, identity.id, outcome.address, service.now())
  return { kind: 'authenticated', identityId: identity.id }
}
