/** Registration with an emailed code, which also verifies the address. */
import { isDeepStrictEqual } from 'node:util'
import type { Flow, Traits } from '#store.ts'
import { type Fields, textOf } from '#http/body.ts'
import { type Exchange, type Method, type RegistrationOutcome, rejected } from '#service.ts'
import { signUpMail } from '#mail.ts'
import { mailCode, resetTries, tooManyTries, tryRegistrationCode } from '#method/code.ts'
import { normalizeAddress } from '#schema.ts'
import { beginAttempt, consumeMailQuota, throttled } from '#throttle.ts'
import { label, notice, onField, onForm } from '#ui/message.ts'
import { input, submit } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

export const codeSignUp: NonNullable<Method['registration']> = {
  nodes: () => [submit('code', 'code', label.sendSignUpCode)],
  missingFields: () => [],
  submit(exchange, fields, traits, flow) {
    const isCodeRequest = flow.state !== 'sent_email' || textOf(fields, 'resend') !== ''
    return isCodeRequest ? sendCode(exchange, traits, flow) : verifyCode(exchange, fields, traits, flow)
  },
}

const codeNodes = [
  input('code', 'method', 'hidden', { value: 'code' }),
  input('code', 'code', 'text', { required: true, label: label.signUpCode }),
  submit('code', 'code', label.continue),
  input('code', 'resend', 'submit', { value: 'code', label: label.resend }),
]

/** Also sends a code to a taken address, so that only its owner learns that it is taken. */
async function sendCode(exchange: Exchange, traits: Traits, flow: Flow): Promise<RegistrationOutcome> {
  const { service, client } = exchange
  const address = normalizeAddress(traits.email)
  if (await consumeMailQuota(service, address, client.ip)) {
    await resetTries(service, flow.id)
    await mailCode(service, service.db, flow, { address, identityId: null, isVoid: false }, (code, minutes) =>
      signUpMail(address, code, minutes),
    )
  }
  return { kind: 'code_sent', nodes: codeNodes, message: notice.signUpCodeSent, memory: { address, traits } }
}

async function verifyCode(
  exchange: Exchange,
  fields: Fields,
  traits: Traits,
  flow: Flow,
): Promise<RegistrationOutcome> {
  const { service, client } = exchange
  const submittedCode = textOf(fields, 'code')
  const address = normalizeAddress(traits.email)
  if (!isDeepStrictEqual(traits, flow.memory.traits)) return rejected(onForm(errorMessage.traitsChanged))
  if (!submittedCode) return rejected(onField('code', errorMessage.required('code')))
  using attempt = await beginAttempt(service, 'code', address, client.ip)
  if (attempt.isThrottled) return throttled(exchange, null, 'code')
  const outcome = await tryRegistrationCode(service, flow, submittedCode)
  if (outcome.kind === 'too_many_tries') return rejected(onForm(tooManyTries))
  if (outcome.kind !== 'valid' || outcome.address !== address) return rejected(onForm(errorMessage.signUpCodeWrong))
  await attempt.refund()
  return { kind: 'ready', isAddressVerified: true, attach: async () => undefined }
}
