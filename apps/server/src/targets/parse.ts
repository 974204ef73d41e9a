import type { InputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/target'
import { isProblem, parseAddress, readableAddress } from '@glacis/scanner'
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

/** Previews how each address would be parsed, and which target already has it. Stores nothing. */
export async function parseTargets(
  ctx: Ctx,
  { addresses }: InputOf<typeof contract.parseTargets>,
): Promise<ResultOf<typeof contract.parseTargets>> {
  const read = addresses.map((input) => ({ input, address: parseAddress(input) }))
  const holders = await targetsByAddress(
    ctx,
    read.flatMap(({ address }) => (isProblem(address) ? [] : [address.text])),
  )
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
      ...(target && { target }),
    }
  })
  return { results }
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
