/** Verification forms. */
import { captchaNodes } from '#captcha.ts'
import { csrfPlaceholder } from '#flow/flow.ts'
import type { Service } from '#service.ts'
import { label } from '#ui/message.ts'
import { type Node, input, submit } from '#ui/node.ts'

export function emailField(value?: string): Node {
  return input('code', 'email', 'email', { value, required: true, label: label.email })
}

/** Form for the address. */
export function startNodes(service: Pick<Service, 'captcha'>): Node[] {
  return [emailField(), submit('code', 'code', label.continue), csrfPlaceholder, ...captchaNodes(service.captcha)]
}

/** Form for the code, with a button to resend it. */
export function codeNodes(address: string, code?: string): Node[] {
  return [
    input('code', 'method', 'hidden', { value: 'code' }),
    input('code', 'code', 'text', { value: code, required: true, label: label.verificationCode }),
    submit('code', 'code', label.continue),
    csrfPlaceholder,
    input('code', 'email', 'submit', { value: address, label: label.resend }),
  ]
}
