/** Lists of networks from which tokens, agents, and users may connect. An empty list allows all. */
import { BlockList, isIP } from 'node:net'
import { errorReasons } from '@glacis/contract/role'
import { ApiError } from '#errors.ts'

export function isWithinNetworks(networks: readonly string[], address: string): boolean {
  if (networks.length === 0) return true
  const list = new BlockList()
  for (const network of networks) {
    const [base = '', bits] = network.split('/')
    const isV6 = isIP(base) === 6
    list.addSubnet(base, bits === undefined ? (isV6 ? 128 : 32) : Number(bits), isV6 ? 'ipv6' : 'ipv4')
  }
  // Node.js names IPv4 clients of a dual-stack socket in IPv6 notation.
  const bare = address.replace(/^::ffff:(?=\d+\.)/, '')
  return list.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4')
}

/** @throws ApiError `forbidden` unless every list allows the address */
export function requireNetwork(lists: readonly (readonly string[])[], address: string): void {
  if (lists.every((networks) => isWithinNetworks(networks, address))) return
  throw new ApiError('forbidden', `Access isn't allowed from ${address}. Connect from an allowed network`, {
    reason: errorReasons.network,
    metadata: { address },
  })
}

/** @throws ApiError `precondition` if the new list excludes the user who sets it, without their confirmation */
export function rejectLockout(
  {
    networks,
    excludesYou = false,
  }: { readonly networks: readonly string[]; readonly excludesYou?: boolean | undefined },
  address: string,
): void {
  if (excludesYou || isWithinNetworks(networks, address)) return
  throw new ApiError('precondition', `The networks don't contain your own address, ${address}. You would lose access`, {
    reason: errorReasons.ownAddress,
    metadata: { address },
  })
}
