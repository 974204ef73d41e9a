/** The two forms of a verification: one for an address, one for the code that was mailed to it. */
import { captchaNodes } from '#captcha.ts'
import { csrfPlace } from '#flow/flow.ts'
import type { Service } from '#service.ts'
import { label } from '#ui/message.ts'
import { type Node, input, submit } from '#ui/node.ts'

/** The address, as it was typed. */
export function emailField(value?: string): Node {
  return input('code', 'email', 'email', { value, required: true, label: label.email })
}

/** Asks for the address. */
export function startNodes(service: Pick<Service, 'captcha'>): Node[] {
  return [emailField(), submit('code', 'code', label.continue), csrfPlace, ...captchaNodes(service.captcha)]
}

/** Asks for the code that was mailed to an address, and offers another one. */
export function codeNodes(address: string, code?: string): Node[] {
  return [
    input('code', 'method', 'hidden', { value: 'code' }),
    input('code', 'code', 'text', { value: code, required: true, label: label.verificationCode }),
    submit('code', 'code', label.continue),
    csrfPlace,
    input('code', 'email', 'submit', { value: address, label: label.resend }),
  ]
}
