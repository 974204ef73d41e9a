/** The networks that this installation may scan. */
import { createGuard, isPublicAddress } from '@glacis/scanner'

/** Networks in CIDR notation, or a keyword. */
export type ScanNetworks = 'all' | 'public' | readonly string[]

/** Whether an address may be scanned. The guard checks again before every connect. */
export function isPermittedIn(networks: ScanNetworks): (address: string) => boolean {
  if (networks === 'all') return () => true
  if (networks === 'public') return isPublicAddress
  const guard = createGuard({ allow: [...networks], deny: [] })
  return (address) => guard.denialReason(address, 443) === null
}
