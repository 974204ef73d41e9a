import { signInAddress } from '#identities.ts'
import type { Scene } from '#service.ts'
import { identifierLabel } from '#schema.ts'
import { type Node, input } from '#ui/node.ts'

/** The field that says who signs in, shared by all methods; hidden and filled where that is known. */
export function identifierNode({ service, holder }: Pick<Scene, 'service' | 'holder'>): Node {
  if (holder) return input('default', 'identifier', 'hidden', { value: signInAddress(holder) })
  const hasPasskeys = service.methods.some(({ name }) => name === 'passkey')
  return input('default', 'identifier', 'text', {
    value: '',
    required: true,
    // With this word browsers offer passkeys where the address is typed.
    ...(hasPasskeys && { autocomplete: 'username webauthn' }),
    label: identifierLabel,
  })
}
