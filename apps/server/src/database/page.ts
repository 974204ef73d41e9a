/** Keyset pages: a token names the last row that was seen and the question it belongs to. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Ctx } from '#ctx.ts'
import { invalid } from '#errors.ts'
import { type Expression, sql } from 'kysely'
import { z } from 'zod'

export const pageSizeDefault = 50

/** Until the installation's own is known, tokens live as long as the process. */
let key: string | Buffer = randomBytes(32)

/** Signs tokens with a secret that all processes of the installation share, and that outlives them. */
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
  /** Sort values of the last row of the page before, in the order of the sort; null on the first page. */
  readonly after: readonly (string | number)[] | null
  /** Ties the token to the filter and order it was made for. */
  readonly question: string
}

const Token = z.object({
  q: z.string(),
  k: z
    .array(z.union([z.string(), z.number()]))
    .min(1)
    .max(4),
})

/**
 * @param question names the list and what is asked of it: what one list sorts by is nothing to another
 * @throws Refusal `invalid` for a token that is not ours or belongs to another question
 */
export function readPage(
  input: { pageSize?: number | undefined; pageToken?: string | undefined },
  question: unknown,
): Page {
  const asked = createHash('sha256').update(JSON.stringify(question)).digest('base64url').slice(0, 12)
  const page = { size: input.pageSize ?? pageSizeDefault, question: asked }
  if (!input.pageToken) return { ...page, after: null }
  const token = parse(input.pageToken)
  if (!token) throw invalid('pageToken', 'pageToken is not one that this server gave out')
  if (token.q !== asked) throw invalid('pageToken', 'pageToken belongs to a list with another filter or order')
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

/** Cuts the one row too many that a list reads and makes the token of the next page, empty on the last. */
export function cutPage<Row>(
  page: Page,
  rows: readonly Row[],
  key: (row: Row) => readonly (string | number)[],
): { rows: Row[]; nextPageToken: string } {
  const kept = rows.slice(0, page.size)
  const last = kept.at(-1)
  if (rows.length <= page.size || last === undefined) return { rows: kept, nextPageToken: '' }
  const token = JSON.stringify({ q: page.question, k: key(last) })
  const body = Buffer.from(token).toString('base64url')
  return { rows: kept, nextPageToken: sign(body) + body }
}

/** Lists are counted up to here; beyond it the total says that it is not exact. */
const countMax = 10_000

/** How many rows a list has on all its pages, for its first one; `rows` selects them without order and bound. */
export async function totalOf(
  ctx: Ctx,
  rows: Expression<unknown>,
): Promise<{ totalSize: number; totalSizeIsExact: boolean }> {
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from (${rows} limit ${sql.lit(countMax + 1)}) as counted`.execute(ctx.tx)
  const total = counted.rows[0]?.total ?? 0
  return { totalSize: Math.min(total, countMax), totalSizeIsExact: total <= countMax }
}
