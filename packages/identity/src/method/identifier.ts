import { signInAddress } from '#identities.ts'
import type { FormContext } from '#service.ts'
import { identifierLabel } from '#schema.ts'
import { type Node, input } from '#ui/node.ts'

/** The identifier field, shared by all methods. Hidden and filled in if the identity is known. */
export function identifierNode({ service, identity }: Pick<FormContext, 'service' | 'identity'>): Node {
  if (identity) return input('default', 'identifier', 'hidden', { value: signInAddress(identity) })
  const hasPasskeys = service.methods.some(({ name }) => name === 'passkey')
  return input('default', 'identifier', 'text', {
    value: '',
    required: true,
    // `webauthn` makes browsers offer passkeys in the autofill of this field.
    ...(hasPasskeys && { autocomplete: 'username webauthn' }),
    label: identifierLabel,
  })
}
