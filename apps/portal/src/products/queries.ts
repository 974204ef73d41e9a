/** Product queries and mutations. */
import type { InputOf } from '@glacis/contract/endpoint'
import {
  deleteProduct,
  getProduct,
  listProducts,
  listProductThreats,
  searchSoftware,
  updateProduct,
  watchProduct,
} from '@glacis/contract/product'
import { keepPreviousData, mutationOptions } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { keyOf, pages, query } from '#api/query.ts'
import { productsInput } from '#products/search.ts'

export function list(input: InputOf<typeof listProducts>) {
  return { ...query(listProducts, input), placeholderData: keepPreviousData }
}

/** The list's default query, for prefetching. */
export function first() {
  return list(productsInput({}))
}

export function detail(id: string) {
  return query(getProduct, { id })
}

/** Software names that match a text, for autocompletion. */
export function software(text: string) {
  return { ...query(searchSoftware, { query: text, pageSize: 20 }), placeholderData: keepPreviousData }
}

/** Threats of a product without a risk in this workspace, highest severity first. */
export function threats(id: string) {
  const input = { id, filter: { found: false }, pageSize: 25 }
  return pages(keyOf(listProductThreats, input), (pageToken, options) =>
    call(listProductThreats, { ...input, pageToken }, options),
  )
}

export const watch = mutationOptions({
  mutationFn: (product: InputOf<typeof watchProduct>) => call(watchProduct, product),
})

/** Changes the notification threshold, or whether the product is watched. */
export const editProduct = mutationOptions({
  mutationFn: ({ id, ...product }: { id: string; minNotificationSeverity?: number; watched?: boolean }) =>
    call(updateProduct, { id, product, updateMask: { paths: updatePaths(product) } }),
})

function updatePaths(product: { minNotificationSeverity?: number; watched?: boolean }) {
  return (['minNotificationSeverity', 'watched'] as const).filter((path) => product[path] !== undefined)
}

export const stopWatching = mutationOptions({
  meta: { except: getProduct.path },
  mutationFn: (id: string) => call(deleteProduct, { id }),
})

/** Changes the notification threshold of several products. Resolves with the IDs that failed. */
export const editProducts = mutationOptions({
  mutationFn: ({ ids, ...product }: { ids: readonly string[]; minNotificationSeverity: number }) =>
    callEach(ids, (id) => call(updateProduct, { id, product, updateMask: { paths: updatePaths(product) } })),
})

/** Resolves with the IDs that failed. */
export const stopWatchingProducts = mutationOptions({
  mutationFn: (ids: readonly string[]) => callEach(ids, (id) => call(deleteProduct, { id })),
})

/** Concurrent requests of a bulk change, which covers at most a page of 500. Each failed request shows its own toast. */
const maxConcurrent = 6

async function callEach(ids: readonly string[], change: (id: string) => Promise<unknown>): Promise<string[]> {
  const failed: string[] = []
  for (let from = 0; from < ids.length; from += maxConcurrent) {
    const some = ids.slice(from, from + maxConcurrent)
    const results = await Promise.allSettled(some.map(change))
    failed.push(...some.filter((_, index) => results[index]?.status === 'rejected'))
  }
  return failed
}
