import type { Target } from '@glacis/contract/target'

/** A target's address next to its name, unless they are the same. */
export function TargetAddress({
  name,
  address,
  readableAddress,
}: Pick<Target, 'name' | 'address' | 'readableAddress'>) {
  const shown = readableAddress ?? address
  if (shown === name) return null
  return (
    <span className="min-w-0 truncate font-mono text-ink-2" title={address}>
      {shown}
    </span>
  )
}
