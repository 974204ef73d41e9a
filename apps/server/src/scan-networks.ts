/** The networks that this installation may scan. */
import { isIP } from 'node:net'
import { createGuard, expand, isPublicAddress, type ScanAddress } from '@glacis/scanner'

/** Networks in CIDR notation, or a keyword. */
export type ScanNetworks = 'all' | 'public' | readonly string[]

/** Whether an address may be scanned. The guard checks again before every connect. */
export function isPermittedIn(networks: ScanNetworks): (address: string) => boolean {
  if (networks === 'all') return () => true
  if (networks === 'public') return isPublicAddress
  const guard = createGuard({ allow: [...networks], deny: [] })
  return (address) => guard.denialReason(address, 443) === null
}

/** More addresses than this are only checked when they are scanned. */
const checkedMax = 256

/**
 * Why neither the server nor an agent may scan an address, or null. Hostnames are only checked when
 * they are resolved; `public` doesn't limit agents.
 */
export function outsideProblem(address: ScanAddress, networks: ScanNetworks): string | null {
  if (typeof networks === 'string' || address.hostCount > checkedMax) return null
  if (address.host !== '' && isIP(address.host) === 0) return null
  if ([...expand(address)].some(isPermittedIn(networks))) return null
  return `${address.text} is outside GLACIS_SCAN_NETWORKS (${String(networks)}). Change the setting to scan it.`
}
