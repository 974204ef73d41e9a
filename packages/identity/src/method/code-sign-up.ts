/** Signing up by a code that is mailed: whoever has it has proved the address, and needs no password. */
import type { Flow, Traits } from '#store.ts'
import { type Fields, textOf } from '#http/body.ts'
import { tell } from '#http/exchange.ts'
import { type Exchange, type Method, type RegistrationOutcome, refused } from '#service.ts'
import { signUpMail } from '#mail.ts'
import { issueCode, resetTries, tooOften, tryCodeOfNewcomer } from '#method/code.ts'
import { normalAddress } from '#schema.ts'
import { attempt, mayMail, tooManyAttempts } from '#throttle.ts'
import { label, notice, on, onForm } from '#ui/message.ts'
import { input, submit } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'

export const codeSignUp: NonNullable<Method['registration']> = {
  nodes: () => [submit('code', 'code', label.sendSignUpCode)],
  missing: () => [],
  submit(exchange, fields, traits, flow) {
    const isAsked = flow.state !== 'sent_email' || textOf(fields, 'resend') !== ''
    return isAsked ? send(exchange, traits, flow) : prove(exchange, fields, traits, flow)
  },
}

const codeNodes = [
  input('code', 'method', 'hidden', { value: 'code' }),
  input('code', 'code', 'text', { required: true, label: label.signUpCode }),
  submit('code', 'code', label.continue),
  input('code', 'resend', 'submit', { value: 'code', label: label.resend }),
]

/** An address that is an account's gets its code like any other: only its holder learns that it is taken. */
async function send(exchange: Exchange, traits: Traits, flow: Flow): Promise<RegistrationOutcome> {
  const { service, client } = exchange
  const address = normalAddress(traits.email)
  if (await mayMail(service, address, client.ip)) {
    const { codeMs } = service.lifespans
    await resetTries(service, flow.id)
    const code = await issueCode(service, service.db, flow.id, address, null)
    const expiresAt = new Date(service.now().getTime() + codeMs)
    await service.courier.queue(service.db, signUpMail(address, code, Math.round(codeMs / 60_000)), { expiresAt })
  }
  return { kind: 'asked', nodes: codeNodes, message: notice.signUpCodeSent, memory: { address } }
}

async function prove(exchange: Exchange, fields: Fields, traits: Traits, flow: Flow): Promise<RegistrationOutcome> {
  const { service, client } = exchange
  const given = textOf(fields, 'code')
  const address = normalAddress(traits.email)
  if (address !== flow.memory.address) return refused(onForm(problem.traitsChanged))
  if (!given) return refused(on('code', problem.required('code')))
  using guess = await attempt(service, 'code', address, client.ip)
  if (guess.isRefused) {
    tell(exchange, 'throttled', null, 'code')
    return refused(onForm(problem.generic(tooManyAttempts)))
  }
  const outcome = await tryCodeOfNewcomer(service, flow, given)
  if (outcome.kind === 'too often') return refused(onForm(tooOften))
  if (outcome.kind !== 'right' || outcome.address !== address) return refused(onForm(problem.signUpCodeWrong))
  await guess.forgive()
  return { kind: 'ready', isProven: true, attach: async () => undefined }
}
