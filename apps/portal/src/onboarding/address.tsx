import type { Target } from '@glacis/contract/target'

/** The address beside the name of a target, unless it is named after it. */
export function Address({ name, address, readableAddress }: Pick<Target, 'name' | 'address' | 'readableAddress'>) {
  const shown = readableAddress ?? address
  if (shown === name) return null
  return (
    <span className="min-w-0 truncate font-mono text-ink-2" title={address}>
      {shown}
    </span>
  )
}
