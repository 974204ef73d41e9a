import type { UiNode } from '@glacis/contract/identity'
import { useEffect } from 'react'

/** Injects a script node into the page and removes it on unmount. */
export function ScriptNode({ node }: { readonly node: Extract<UiNode, { type: 'script' }> }) {
  const { src, async: isAsync, crossorigin, integrity, referrerpolicy, type, id, nonce } = node.attributes
  useEffect(() => {
    const script = document.createElement('script')
    const attributes = { src, crossorigin, integrity, referrerpolicy, type, id, nonce }
    for (const [name, value] of Object.entries(attributes)) if (value) script.setAttribute(name, value)
    script.async = isAsync
    document.body.append(script)
    return () => script.remove()
  }, [src, isAsync, crossorigin, integrity, referrerpolicy, type, id, nonce])
  return null
}
