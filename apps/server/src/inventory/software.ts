import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/inventory'
import { nameOf, toWfn } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

const sizeDefault = 20

/** Finds software whose names hold every word; what begins with the words, and what many records name, comes first. */
export async function searchSoftware(
  ctx: Ctx,
  { query, pageSize = sizeDefault }: ParsedInputOf<typeof contract.searchSoftware>,
): Promise<ResultOf<typeof contract.searchSoftware>> {
  const words = query.toLowerCase().trim().split(/\s+/).filter(Boolean).slice(0, 6)
  if (words.length === 0) return { software: [] }
  const like = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`
  const [first = ''] = words
  const whole = words.join(' ')
  const { rows } = await sql<{ part: string; vendor: string; product: string; title: string }>`
    select part, vendor, product, title from software
    where ${sql.join(
      words.map((word) => sql`search like ${like(word)}`),
      sql` and `,
    )}
    -- Two letters are in every second name: nothing here may cost much for each.
    order by (product = ${first} or (octet_length(title) = ${Buffer.byteLength(whole)} and lower(title) = ${whole})) desc,
             threats desc, octet_length(title), vendor collate "C", product collate "C"
    limit ${pageSize}`.execute(ctx.tx)
  return {
    software: rows.flatMap(({ part, vendor, product, title }) => {
      const name = nameOf({ part, vendor, product })
      return name ? { name: title, wfn: toWfn(name) } : []
    }),
  }
}
