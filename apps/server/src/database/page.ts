/** Keyset pagination: a page token contains the sort key of the last row and a hash of the query. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Ctx } from '#ctx.ts'
import { invalid } from '#errors.ts'
import { type Expression, sql } from 'kysely'
import { z } from 'zod'

export const pageSizeDefault = 50

/** Random until `signPagesWith` is called, so tokens are then valid only within this process. */
let key: string | Buffer = randomBytes(32)

/** Sets the signing secret, which is shared by all processes and survives restarts. */
export function signPagesWith(secret: string): void {
  key = secret
}

const signatureLength = 22
/** 128 bits in base64url. */
function sign(body: string): string {
  return createHmac('sha256', key).update(`page ${body}`).digest('base64url').slice(0, signatureLength)
}

export interface Page {
  readonly size: number
  /** Sort values of the last row of the previous page; null on the first page. */
  readonly after: readonly (string | number)[] | null
  /** Hash of the list, filter, and order that the token is valid for. */
  readonly query: string
}

const Token = z.object({
  q: z.string(),
  k: z
    .array(z.union([z.string(), z.number()]))
    .min(1)
    .max(4),
})

/**
 * @param query the list, filter, and order
 * @throws ApiError `invalid` for an invalid token or one of another list, filter, or order
 */
export function readPage(
  input: { pageSize?: number | undefined; pageToken?: string | undefined },
  query: unknown,
): Page {
  const queryHash = createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 12)
  const page = { size: input.pageSize ?? pageSizeDefault, query: queryHash }
  if (!input.pageToken) return { ...page, after: null }
  const token = parse(input.pageToken)
  if (!token) throw invalid('pageToken', 'Invalid pageToken')
  if (token.q !== queryHash) throw invalid('pageToken', 'pageToken was issued for a different filter or order')
  return { ...page, after: token.k }
}

function parse(text: string): z.infer<typeof Token> | null {
  try {
    const [body, signature] = [text.slice(signatureLength), text.slice(0, signatureLength)]
    if (!timingSafeEqual(Buffer.from(sign(body)), Buffer.from(signature))) return null
    return Token.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')))
  } catch {
    return null
  }
}

/** Removes the extra row that lists read to detect another page, and creates its token; empty on the last page. */
export function cutPage<Row>(
  page: Page,
  rows: readonly Row[],
  key: (row: Row) => readonly (string | number)[],
): { rows: Row[]; nextPageToken: string } {
  const pageRows = rows.slice(0, page.size)
  const last = pageRows.at(-1)
  if (rows.length <= page.size || last === undefined) return { rows: pageRows, nextPageToken: '' }
  const token = JSON.stringify({ q: page.query, k: key(last) })
  const body = Buffer.from(token).toString('base64url')
  return { rows: pageRows, nextPageToken: sign(body) + body }
}

/** Lists are counted up to this bound; larger totals are marked as inexact. */
const countMax = 10_000

/** Counts the rows of a list on all pages. `rows` selects them without order and limit. */
export async function totalOf(
  ctx: Ctx,
  rows: Expression<unknown>,
): Promise<{ totalSize: number; totalSizeIsExact: boolean }> {
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from (${rows} limit ${sql.lit(countMax + 1)}) as counted`.execute(ctx.tx)
  const total = counted.rows[0]?.total ?? 0
  return { totalSize: Math.min(total, countMax), totalSizeIsExact: total <= countMax }
}
