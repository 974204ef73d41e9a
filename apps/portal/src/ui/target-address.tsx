import type { Target } from '@glacis/contract/target'
import { targetAddress } from '@glacis/contract/target-address'

/** A target's address next to its name, unless they are the same. */
export function TargetAddress({ target }: { readonly target: Target }) {
  const shown = targetAddress(target)
  if (shown === target.name) return null
  return (
    <span className="min-w-0 truncate font-mono text-ink-2" title={target.address}>
      {shown}
    </span>
  )
}
