/** What the portal asks of products. */
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
import { infiniteQueryOptions, keepPreviousData, mutationOptions, type QueryClient } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { keyOf, query, refresh } from '#api/query.ts'
import { productsInput } from '#products/search.ts'

export function list(input: InputOf<typeof listProducts>) {
  return { ...query(listProducts, input), placeholderData: keepPreviousData }
}

/** What the page of the list begins with. */
export function first() {
  return list(productsInput({}))
}

export function one(id: string) {
  return query(getProduct, { id })
}

/** Software by name, as one types. */
export function software(text: string) {
  return { ...query(searchSoftware, { query: text, pageSize: 20 }), placeholderData: keepPreviousData }
}

/** Threats to a product on which no risk stands, worst first, page by page. */
export function threats(id: string) {
  const input = { id, filter: { found: false }, pageSize: 25 }
  return infiniteQueryOptions({
    queryKey: keyOf(listProductThreats, input),
    queryFn: ({ signal, pageParam }) =>
      call(listProductThreats, { ...input, pageToken: pageParam || undefined }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
    retry: false,
  })
}

const touched = [listProducts, getProduct].map((endpoint) => keyOf(endpoint))

export function watch(client: QueryClient) {
  return mutationOptions({
    mutationKey: [watchProduct.path, 'watch'],
    mutationFn: (product: InputOf<typeof watchProduct>) => call(watchProduct, product),
    onSuccess: () => refresh(client, touched),
  })
}

/** Says from which score on, or whether at all, somebody wants to hear of it. */
export function change(client: QueryClient) {
  return mutationOptions({
    mutationKey: [updateProduct.path, 'change'],
    mutationFn: ({ id, ...product }: { id: string; minNotificationSeverity?: number; watched?: boolean }) =>
      call(updateProduct, { id, product, updateMask: { paths: pathsOf(product) } }),
    onSuccess: () => refresh(client, touched),
  })
}

function pathsOf(product: { minNotificationSeverity?: number; watched?: boolean }) {
  return (['minNotificationSeverity', 'watched'] as const).filter((path) => product[path] !== undefined)
}

export function stopWatching(client: QueryClient) {
  return mutationOptions({
    mutationKey: [deleteProduct.path, 'stop'],
    mutationFn: (id: string) => call(deleteProduct, { id }),
    onSuccess: () => refresh(client, [keyOf(listProducts)]),
  })
}

/** Says of many from which score on somebody wants to hear of them. Resolves with the ids of those that failed. */
export function changeMany(client: QueryClient) {
  return mutationOptions({
    mutationKey: [updateProduct.path, 'change many'],
    mutationFn: ({ ids, ...product }: { ids: readonly string[]; minNotificationSeverity: number }) =>
      each(ids, (id) => call(updateProduct, { id, product, updateMask: { paths: pathsOf(product) } })),
    onSettled: () => refresh(client, touched),
  })
}

/** Resolves with the ids of those that failed. */
export function stopWatchingMany(client: QueryClient) {
  return mutationOptions({
    mutationKey: [deleteProduct.path, 'stop many'],
    mutationFn: (ids: readonly string[]) => each(ids, (id) => call(deleteProduct, { id })),
    onSettled: () => refresh(client, touched),
  })
}

/** A page has at most 500, and nobody waits long for them; what fails tells so by itself. */
const atOnceMax = 6

async function each(ids: readonly string[], change: (id: string) => Promise<unknown>): Promise<string[]> {
  const failed: string[] = []
  for (let from = 0; from < ids.length; from += atOnceMax) {
    const some = ids.slice(from, from + atOnceMax)
    const results = await Promise.allSettled(some.map(change))
    failed.push(...some.filter((_, index) => results[index]?.status === 'rejected'))
  }
  return failed
}
