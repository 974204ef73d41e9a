/** A code by mail after the first factor, asked of every account where the installation wants it. */
import type { Flow } from '#store.ts'
import { type Fields, textOf } from '#http/body.ts'
import { tell } from '#http/exchange.ts'
import { type Exchange, type LoginOutcome, type Method, refused, type LiveSession } from '#service.ts'
import { type Identity, markVerified, signInAddress } from '#identities.ts'
import { signInMail } from '#mail.ts'
import { issueCode, resetTries, tooOften, tryCode } from '#method/code.ts'
import { normalAddress } from '#schema.ts'
import { attempt, mayMail, tooManyAttempts } from '#throttle.ts'
import { label, notice, on, onForm } from '#ui/message.ts'
import { type Node, input, submit } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'

export const mailedFactor: Method = {
  name: 'code',
  claims: (fields) => textOf(fields, 'address') !== '',
  secondFactor: {
    isEverybodys: true,
    nodes: ({ holder }) => [
      input('code', 'address', 'submit', { value: addressOf(holder), label: label.sendCodeTo(addressOf(holder)) }),
    ],
    begin: (exchange, session, flow) => send(exchange, session.identity, flow),
    submit: (exchange, session, fields, flow) => {
      const asked = textOf(fields, 'address')
      if (asked && normalAddress(asked) !== addressOf(session.identity)) {
        return Promise.resolve(refused(onForm(problem.addressUnknown)))
      }
      const isAsked = asked !== '' || textOf(fields, 'resend') !== '' || flow.state !== 'sent_email'
      return isAsked ? send(exchange, session.identity, flow) : prove(exchange, session, fields, flow)
    },
  },
}

/** Codes go where the account is recovered: an address that is new and not proved would prove nothing. */
function addressOf(holder: Identity): string {
  return normalAddress(signInAddress(holder))
}

async function send(exchange: Exchange, holder: Identity, flow: Flow): Promise<LoginOutcome> {
  const { service, client } = exchange
  const address = addressOf(holder)
  if (await mayMail(service, address, client.ip)) {
    const { codeMs } = service.lifespans
    await resetTries(service, flow.id)
    const code = await issueCode(service, service.db, flow.id, address, holder.id)
    const expiresAt = new Date(service.now().getTime() + codeMs)
    await service.courier.queue(service.db, signInMail(address, code, Math.round(codeMs / 60_000)), { expiresAt })
  }
  return { kind: 'asked', nodes: codeNodes(address), message: notice.signInCodeSent, memory: { address } }
}

function codeNodes(address: string): Node[] {
  return [
    input('code', 'identifier', 'hidden', { value: address, label: label.sendCodeTo(address) }),
    input('code', 'method', 'hidden', { value: 'code' }),
    input('code', 'code', 'text', { required: true, label: label.signInCode }),
    submit('code', 'code', label.continue),
    input('code', 'resend', 'submit', { value: 'code', label: label.resend }),
  ]
}

async function prove(exchange: Exchange, { identity }: LiveSession, fields: Fields, flow: Flow): Promise<LoginOutcome> {
  const { service, client } = exchange
  const given = textOf(fields, 'code')
  if (!given) return refused(on('code', problem.required('code')))
  using guess = await attempt(service, 'mailed_code', identity.id, client.ip)
  if (guess.isRefused) {
    tell(exchange, 'throttled', identity.id, 'code')
    return refused(onForm(problem.generic(tooManyAttempts)))
  }
  const outcome = await tryCode(service, flow, given)
  if (outcome.kind === 'too often') return refused(onForm(tooOften))
  // A code of another account's flow, or for an address that the account has left, proves nothing.
  const isOwn = outcome.kind === 'right' && outcome.identityId === identity.id
  if (!isOwn || outcome.address !== addressOf(identity)) {
    tell(exchange, 'sign_in_failed', identity.id, 'code')
    return refused(onForm(problem.signInCodeWrong))
  }
  await guess.forgive()
  await markVerified(service.db, identity.id, outcome.address, service.now())
  return { kind: 'passed', identityId: identity.id }
}
