/** Watched software: products whose new threats users want to be notified about. */
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/product'
import type { Product } from '@glacis/contract/product'
import { type CpeName, nameOf, quote, toWfn } from '@glacis/intelligence'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { invalid, notFound, ApiError } from '#errors.ts'
import { refreshEndOfLife } from '#inventory/end-of-life.ts'
import { getProduct } from '#inventory/products.ts'
import { productKeyOf, versionOf } from '#inventory/product-key.ts'
import { sql } from 'kysely'

/**
 * Watches a product. An existing product keeps its history.
 *
 * @throws ApiError `invalid` for a name without vendor or product
 */
export async function watchProduct(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.watchProduct>,
): Promise<{ product: Product }> {
  const wfn = toWfn(nameFrom(input))
  const version = versionOf(wfn)
  const { id } = await ctx.tx
    .insertInto('product')
    .values({
      account_id: ctx.workspace,
      id: newId(),
      key: wfn.text,
      name: input.name,
      version,
      part: wfn.part,
      vendor: wfn.vendor,
      product: wfn.product,
      wfn: JSON.stringify(wfn),
      subject: productKeyOf(wfn),
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
  await refreshEndOfLife(ctx.tx, [productKeyOf(wfn)])
  return getProduct(ctx, { id })
}

function nameFrom({ wfn, version }: ParsedInputOf<typeof contract.watchProduct>): CpeName {
  const values = { ...wfn, part: wfn.part || 'a', version: version || (wfn.version ?? '') }
  const given = Object.entries(values).flatMap(([attribute, value]) =>
    attribute !== 'text' && value ? [[attribute, quote(value)] as const] : [],
  )
  const name = nameOf(Object.fromEntries(given))
  if (!name || productKeyOf(toWfn(name)) === '') throw invalid('wfn', 'wfn must specify a vendor and a product')
  return name
}

/**
 * Updates the fields in the mask.
 *
 * @throws ApiError `not_found`
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
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .execute()
  return getProduct(ctx, { id })
}

/**
 * Stops watching a product and removes it from the inventory if no host runs it.
 *
 * @throws ApiError `not_found`; `precondition` for a product that hosts run and that isn't watched
 */
export async function deleteProduct(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  const { rows } = await sql<{ watched: boolean; hosts: number }>`
    select watched, hosts from product
    where account_id = ${ctx.workspace} and id = ${id}
    for update`.execute(ctx.tx)
  const [row] = rows
  if (!row) throw notFound('product', id)
  if (row.hosts > 0 && !row.watched) {
    throw new ApiError(
      'precondition',
      `This software runs on ${row.hosts === 1 ? 'one host' : `${row.hosts} hosts`}. It is removed from the inventory when no host runs it`,
    )
  }
  if (row.hosts > 0) {
    await ctx.tx
      .updateTable('product')
      .set({ watched: false, updated_at: ctx.now })
      .where('account_id', '=', ctx.workspace)
      .where('id', '=', id)
      .execute()
  } else await ctx.tx.deleteFrom('product').where('account_id', '=', ctx.workspace).where('id', '=', id).execute()
  return {}
}
