import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/product'
import { nameOf, toWfn } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

const sizeDefault = 20
const byWeight = sql`threats desc, octet_length(title), vendor collate "C", product collate "C"`

interface Row {
  readonly part: string
  readonly vendor: string
  readonly product: string
  readonly title: string
}

/**
 * Searches software by words in its name. Names that start with the words and names used by many
 * records rank first.
 */
export async function searchSoftware(
  ctx: Ctx,
  { query, pageSize = sizeDefault }: ParsedInputOf<typeof contract.searchSoftware>,
): Promise<ResultOf<typeof contract.searchSoftware>> {
  const terms = query.toLowerCase().trim().split(/\s+/).filter(Boolean).slice(0, 6)
  if (terms.length === 0) return { software: [] }
  const like = (term: string) => `%${term.replace(/[\\%_]/g, '\\$&')}%`
  const [first = ''] = terms
  const phrase = terms.join(' ')
  const containsTerms = sql.join(
    terms.map((term) => sql`search like ${like(term)}`),
    sql` and `,
  )
  // Two letters occur in about every second name. Exact matches are queried separately so that the
  // others can stream from an index.
  const [{ rows: exact }, { rows: others }] = await Promise.all([
    sql<Row>`
      select part, vendor, product, title from software
      where (product = ${first} or lower(title) = ${phrase}) and ${containsTerms}
      order by ${byWeight}
      limit ${pageSize}`.execute(ctx.tx),
    sql<Row>`
      select part, vendor, product, title from software
      where ${containsTerms}
      order by ${byWeight}
      limit ${pageSize}`.execute(ctx.tx),
  ])
  const keyOf = ({ part, vendor, product }: Row) => `${part} ${vendor} ${product}`
  const rows = [...new Map([...exact, ...others].map((row) => [keyOf(row), row])).values()].slice(0, pageSize)
  return {
    software: rows.flatMap(({ part, vendor, product, title }) => {
      const name = nameOf({ part, vendor, product })
      return name ? { name: title, wfn: toWfn(name) } : []
    }),
  }
}
