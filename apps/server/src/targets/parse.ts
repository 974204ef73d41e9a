import type { InputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/target'
import { expand, isProblem, parseAddress, readableAddress, type ScanAddress } from '@glacis/scanner'
import type { Ctx } from '#ctx.ts'
import { isPermittedIn, type ScanNetworks } from '#scan-networks.ts'
import { sql } from 'kysely'

/** Previews how each address would be parsed, and which target already has it. Stores nothing. */
export async function parseTargets(
  ctx: Ctx,
  networks: ScanNetworks,
  { addresses }: InputOf<typeof contract.parseTargets>,
): Promise<ResultOf<typeof contract.parseTargets>> {
  const read = addresses.map((input) => ({ input, address: parseAddress(input) }))
  const holders = await targetsByAddress(
    ctx,
    read.flatMap(({ address }) => (isProblem(address) ? [] : [address.text])),
  )
  const isPermitted = isPermittedIn(networks)
  // `public` refers to the server's own network position; a list also limits agents.
  const scanLimit = networks === 'public' ? ('LIMIT_AGENTS_ONLY' as const) : ('LIMIT_FORBIDDEN' as const)
  const results = read.map(({ input, address }) => {
    if (isProblem(address)) return { input, error: address.problem }
    const { kind, hostCount, isPrivate, text: normalized } = address
    const target = holders.get(normalized)
    const readable = readableAddress(normalized)
    return {
      input,
      normalized,
      ...(readable !== null && { readable }),
      kind,
      hostCount,
      private: isPrivate,
      ...(isOutside(address, isPermitted) && { scanLimit }),
      ...(target && { target }),
    }
  })
  return { results }
}

/** The size up to which each address of a network is compared with the permitted networks. */
const comparedMax = 1024

/** True if none of the addresses may be scanned. Names are only resolved when they are scanned. */
function isOutside(address: ScanAddress, isPermitted: (address: string) => boolean): boolean {
  if (address.hostCount > comparedMax) return false
  const addresses = [...expand(address)]
  return addresses.length > 0 && !addresses.some(isPermitted)
}

/** By address; the oldest target if several have the same. */
async function targetsByAddress(ctx: Ctx, addresses: readonly string[]) {
  if (addresses.length === 0) return new Map<string, { id: string; name: string }>()
  const rows = await ctx.tx
    .selectFrom('target')
    .select(['id', 'name', 'address'])
    .where('account_id', '=', ctx.workspace)
    .where('deleted_at', 'is', null)
    .where('address', '=', sql<string>`any(${[...new Set(addresses)]}::text[])`)
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map(({ address, ...target }) => [address, target]))
}
