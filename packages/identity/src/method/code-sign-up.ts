/** Registration with an emailed code, which also verifies the address. */
import { isDeepStrictEqual } from 'node:util'
import type { Flow, Traits } from '#store.ts'
import { type Fields, textOf } from '#http/body.ts'
import { type Exchange, type Method, type RegistrationOutcome, rejected } from '#service.ts'
import { signUpMail } from '#mail.ts'
import { codeFields, requestCode, tooManyTries, tryRegistrationCode } from '#method/code.ts'
import { normalizeAddress } from '#schema.ts'
import { beginAttempt, throttled } from '#throttle.ts'
import { label, notice, onField, onForm } from '#ui/message.ts'
import { submit } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

export const codeSignUp: NonNullable<Method['registration']> = {
  nodes: () => [submit('code', 'code', label.sendSignUpCode)],
  missingFields: () => [],
  submit(exchange, fields, traits, flow) {
    const isCodeRequest = flow.state !== 'sent_email' || textOf(fields, 'resend') !== ''
    return isCodeRequest ? sendCode(exchange, traits, flow) : verifyCode(exchange, fields, traits, flow)
  },
}

/** Also sends a code to a taken address, so that only its owner learns that it is taken. */
async function sendCode(exchange: Exchange, traits: Traits, flow: Flow): Promise<RegistrationOutcome> {
  const address = normalizeAddress(traits.email)
  await requestCode(exchange, flow, { address, identityId: null, isVoid: false }, signUpMail)
  const nodes = codeFields(label.signUpCode)
  return { kind: 'code_sent', nodes, message: notice.signUpCodeSent, memory: { address, traits } }
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
