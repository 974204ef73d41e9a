/** Emailed codes as a first factor. Sign-in responds the same for unknown addresses, but doesn't send an email. */
import type { Flow } from '#store.ts'
import { type Fields, textOf } from '#http/body.ts'
import { emitEvent } from '#http/exchange.ts'
import { type Exchange, type LoginOutcome, type Method, rejected } from '#service.ts'
import { findIdentity, markVerified, findRecoveryAddressOwner } from '#identities.ts'
import { signInMail } from '#mail.ts'
import { codeSignUp } from '#method/code-sign-up.ts'
import { codeFields, requestCode, tooManyTries, tryCode } from '#method/code.ts'
import { identifierNode } from '#method/identifier.ts'
import { isEmail, normalizeAddress } from '#schema.ts'
import { beginAttempt, throttled } from '#throttle.ts'
import { label, notice, onField, onForm } from '#ui/message.ts'
import { type Node, submit } from '#ui/node.ts'
import { errorMessage } from '#ui/error-message.ts'

export const codeSignIn: Method = {
  name: 'code',
  login: {
    nodes: (context) => [identifierNode(context), submit('code', 'code', label.sendSignInCode)],
    submit: (exchange, fields, flow) => {
      const isCodeRequest = flow.state !== 'sent_email' || textOf(fields, 'resend') !== ''
      return isCodeRequest ? sendCode(exchange, fields, flow) : verifyCode(exchange, fields, flow)
    },
  },
  registration: codeSignUp,
}

async function sendCode(exchange: Exchange, fields: Fields, flow: Flow): Promise<LoginOutcome> {
  const { service } = exchange
  const address = normalizeAddress(textOf(fields, 'identifier') || (flow.memory.address ?? ''))
  if (!address) return rejected(onField('identifier', errorMessage.required('identifier')))
  if (!isEmail(address)) return rejected(onField('identifier', errorMessage.email(address.slice(0, 254))))
  const owner = await findRecoveryAddressOwner(service.db, address)
  await requestCode(exchange, flow, { address, identityId: owner }, signInMail)
  return { kind: 'code_sent', nodes: codeNodes(exchange, address), message: notice.signInCodeSent, memory: { address } }
}

function codeNodes({ service }: Exchange, address: string): Node[] {
  const node = identifierNode({ service, identity: null })
  const identifier: Node =
    node.type === 'input' ? { ...node, attributes: { ...node.attributes, type: 'hidden', value: address } } : node
  return [identifier, ...codeFields(label.signInCode)]
}

async function verifyCode(exchange: Exchange, fields: Fields, flow: Flow): Promise<LoginOutcome> {
  const { service, client } = exchange
  const code = textOf(fields, 'code')
  if (!code) return rejected(onField('code', errorMessage.required('code')))
  using attempt = await beginAttempt(service, 'code', flow.memory.address ?? '', client.ip)
  if (attempt.isThrottled) return throttled(exchange, null, 'code')
  const outcome = await tryCode(service, flow, code)
  if (outcome.kind === 'too_many_tries') return rejected(onForm(tooManyTries))
  if (outcome.kind !== 'valid') {
    emitEvent(exchange, 'sign_in_failed', null, 'code')
    return rejected(onForm(errorMessage.signInCodeWrong))
  }
  await attempt.refund()
  const { identityId, address } = outcome
  const identity = await findIdentity(service.db, identityId)
  if (identity?.state !== 'active') return rejected(onForm(errorMessage.accountDisabled))
  // The identity may have changed its address after the code was sent.
  if ((await findRecoveryAddressOwner(service.db, address)) !== identityId) {
    return rejected(onForm(errorMessage.signInCodeWrong))
  }
  await markVerified(service.db, identityId, address, service.now())
  return { kind: 'authenticated', identityId }
}
