/** What people ask to be told of. */
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/product'
import type { Product } from '@glacis/contract/product'
import { type CpeName, nameOf, quote, toWfn } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { invalid, notFound, Refusal } from '#errors.ts'
import { refreshEnds } from '#inventory/ends.ts'
import { getProduct } from '#inventory/products.ts'
import { subjectOf } from '#inventory/subject.ts'
import { sql } from 'kysely'

/**
 * Watches a product. One that the inventory has already is watched from now on and keeps its history.
 *
 * @throws Refusal `invalid` for a name that no list could hold
 */
export async function watchProduct(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.watchProduct>,
): Promise<{ product: Product }> {
  const wfn = toWfn(nameFrom(input))
  const version = [wfn.version, wfn.update].filter((part) => part && part !== '-').join(' ')
  const { id } = await ctx.tx
    .insertInto('product')
    .values({
      account_id: ctx.account,
      id: newId(),
      key: wfn.text,
      name: input.name,
      version,
      part: wfn.part,
      vendor: wfn.vendor,
      product: wfn.product,
      wfn: JSON.stringify(wfn),
      subject: subjectOf(wfn),
      min_notification_severity: input.minNotificationSeverity,
      watched: true,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'key']).doUpdateSet({
        watched: true,
        min_notification_severity: input.minNotificationSeverity,
        updated_at: ctx.now,
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  await refreshEnds(ctx.tx, [subjectOf(wfn)])
  return getProduct(ctx, { id })
}

function nameFrom({ wfn, version }: ParsedInputOf<typeof contract.watchProduct>): CpeName {
  const values = { ...wfn, part: wfn.part || 'a', version: version || (wfn.version ?? '') }
  const given = Object.entries(values).flatMap(([attribute, value]) =>
    attribute !== 'text' && value ? [[attribute, quote(value)] as const] : [],
  )
  const name = nameOf(Object.fromEntries(given))
  if (!name || subjectOf(toWfn(name)) === '')
    throw invalid('wfn', 'wfn is not the name of a product: it needs a vendor and a product')
  return name
}

/**
 * Changes what the mask names.
 *
 * @throws Refusal `not_found`
 */
export async function updateProduct(
  ctx: Ctx,
  { id, product, updateMask }: ParsedInputOf<typeof contract.updateProduct>,
): Promise<{ product: Product }> {
  const has = (path: 'minNotificationSeverity' | 'watched') =>
    updateMask.paths.includes(path) && product[path] !== undefined
  await ctx.tx
    .updateTable('product')
    .set({
      updated_at: ctx.now,
      ...(has('minNotificationSeverity') && { min_notification_severity: product.minNotificationSeverity }),
      ...(has('watched') && { watched: product.watched }),
    })
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .execute()
  return getProduct(ctx, { id })
}

/**
 * Stops watching. What runs nowhere leaves the inventory with it.
 *
 * @throws Refusal `not_found`; `precondition` for what hosts run and nobody watches
 */
export async function deleteProduct(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  const { rows } = await sql<{ watched: boolean; hosts: number }>`
    select watched, hosts from product
    where account_id = ${ctx.account} and id = ${id}
    for update`.execute(ctx.tx)
  const [row] = rows
  if (!row) throw notFound('product', id)
  if (row.hosts > 0 && !row.watched) {
    throw new Refusal(
      'precondition',
      `It runs on ${row.hosts === 1 ? 'one host' : `${row.hosts} hosts`} and leaves the inventory when it does so there`,
    )
  }
  if (row.hosts > 0) {
    await ctx.tx
      .updateTable('product')
      .set({ watched: false, updated_at: ctx.now })
      .where('account_id', '=', ctx.account)
      .where('id', '=', id)
      .execute()
  } else await ctx.tx.deleteFrom('product').where('account_id', '=', ctx.account).where('id', '=', id).execute()
  return {}
}
