/**
 * Signing in and up by a code that is mailed, in place of a password. At the sign-in an unknown address
 * gets the same answer, and no mail.
 */
import type { Flow } from '#store.ts'
import { type Fields, textOf } from '#http/body.ts'
import { tell } from '#http/exchange.ts'
import { type Exchange, type LoginOutcome, type Method, refused } from '#service.ts'
import { findIdentity, markVerified, ownerOfRecoveryAddress } from '#identities.ts'
import { signInMail } from '#mail.ts'
import { codeSignUp } from '#method/code-sign-up.ts'
import { issueCode, resetTries, tooOften, tryCode } from '#method/code.ts'
import { identifierNode } from '#method/identifier.ts'
import { isEmail, normalAddress } from '#schema.ts'
import { attempt, mayMail, tooManyAttempts } from '#throttle.ts'
import { label, notice, on, onForm } from '#ui/message.ts'
import { type Node, input, submit } from '#ui/node.ts'
import { problem } from '#ui/problem.ts'

export const codeSignIn: Method = {
  name: 'code',
  login: {
    nodes: (scene) => [identifierNode(scene), submit('code', 'code', label.sendSignInCode)],
    submit: (exchange, fields, flow) => {
      const isAsked = flow.state !== 'sent_email' || textOf(fields, 'resend') !== ''
      return isAsked ? send(exchange, fields, flow) : prove(exchange, fields, flow)
    },
  },
  registration: codeSignUp,
}

async function send(exchange: Exchange, fields: Fields, flow: Flow): Promise<LoginOutcome> {
  const { service } = exchange
  const address = normalAddress(textOf(fields, 'identifier') || (flow.memory.address ?? ''))
  if (!address) return refused(on('identifier', problem.required('identifier')))
  if (!isEmail(address)) return refused(on('identifier', problem.email(address.slice(0, 254))))
  const owner = await ownerOfRecoveryAddress(service.db, address)
  // Somebody who has had enough mails keeps the code of the last one.
  if (await mayMail(service, address, exchange.client.ip)) await mailCode(exchange, flow, address, owner)
  return { kind: 'asked', nodes: codeNodes(exchange, address), message: notice.signInCodeSent, memory: { address } }
}

async function mailCode({ service }: Exchange, flow: Flow, address: string, owner: string | null): Promise<void> {
  const { codeMs } = service.lifespans
  await resetTries(service, flow.id)
  const code = await issueCode(service, service.db, flow.id, address, owner)
  await service.courier.queue(service.db, signInMail(address, code, Math.round(codeMs / 60_000)), {
    expiresAt: new Date(service.now().getTime() + codeMs),
    isVoid: owner === null,
  })
}

function codeNodes({ service }: Exchange, address: string): Node[] {
  const node = identifierNode({ service, holder: null })
  const identifier: Node =
    node.type === 'input' ? { ...node, attributes: { ...node.attributes, type: 'hidden', value: address } } : node
  return [
    identifier,
    input('code', 'method', 'hidden', { value: 'code' }),
    input('code', 'code', 'text', { required: true, label: label.signInCode }),
    submit('code', 'code', label.continue),
    input('code', 'resend', 'submit', { value: 'code', label: label.resend }),
  ]
}

async function prove(exchange: Exchange, fields: Fields, flow: Flow): Promise<LoginOutcome> {
  const { service, client } = exchange
  const given = textOf(fields, 'code')
  if (!given) return refused(on('code', problem.required('code')))
  using guess = await attempt(service, 'code', flow.memory.address ?? '', client.ip)
  if (guess.isRefused) {
    tell(exchange, 'throttled', null, 'code')
    return refused(onForm(problem.generic(tooManyAttempts)))
  }
  const outcome = await tryCode(service, flow, given)
  if (outcome.kind === 'too often') {
    return refused(onForm(tooOften))
  }
  if (outcome.kind !== 'right') {
    tell(exchange, 'sign_in_failed', null, 'code')
    return refused(onForm(problem.signInCodeWrong))
  }
  await guess.forgive()
  const { identityId, address } = outcome
  const identity = await findIdentity(service.db, identityId)
  if (identity?.state !== 'active') return refused(onForm(problem.accountDisabled))
  // An address that stopped being the account's since proves nothing any more.
  if ((await ownerOfRecoveryAddress(service.db, address)) !== identityId) {
    return refused(onForm(problem.signInCodeWrong))
  }
  await markVerified(service.db, identityId, address, service.now())
  return { kind: 'passed', identityId }
}
