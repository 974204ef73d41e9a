import type { Product } from '@glacis/contract/product'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createQueryClient } from '#api/query.ts'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Service, startService } from '#lib/testing/service.ts'
import { clearToasts, shownToasts } from '#lib/testing/toasts.ts'
import { ProductBulkBar } from '#products/product-bulk.tsx'

const day = '2026-11-20T00:00:00Z'
const none = { update: '', edition: '', language: '', softwareEdition: '', targetSoftware: '', targetHardware: '' }
const products = [1, 2, 3].map((number): Product => {
  const id = `00000000-0000-4000-8000-00000000000${number}`
  const wfn = { part: 'a', vendor: 'f5', product: 'nginx', version: `1.${number}`, ...none, other: '', text: '' }
  const times = { createTime: day, updateTime: day }
  return { id, name: 'nginx', version: wfn.version, wfn, minNotificationSeverity: 7, watched: number > 1, ...times }
})
const [first, second, third] = products.map(({ id }) => id)
const user = userEvent.setup()
let service: Service
let client: QueryClient
let kept: readonly string[] | undefined

beforeEach(async () => {
  service = await startService()
  client = createQueryClient()
  kept = undefined
  render(
    <QueryClientProvider client={client}>
      <ProductBulkBar products={products} onKeep={(ids) => (kept = ids)} />
    </QueryClientProvider>,
  )
})
afterEach(async () => {
  cleanup()
  clearToasts()
  await client.cancelQueries()
  await service.close()
})
const messages = () => shownToasts().map(({ message }) => message)

it('sets the notification threshold of all selected products', async () => {
  for (const product of products) service.on(`PATCH /v1/products/${product.id}`, { body: { product } })
  await user.click(screen.getByRole('button', { name: 'Notify from' }))
  await user.click(screen.getByRole('menuitem', { name: 'Critical' }))
  await waitFor(() => expect(kept).toEqual([]))
  expect(service.seen.map(({ path }) => path)).toEqual(products.map(({ id }) => `/v1/products/${id}`))
  expect(service.seen[0]?.body).toMatchObject({
    product: { minNotificationSeverity: 9 },
    updateMask: { paths: ['minNotificationSeverity'] },
  })
  expect(messages()).toContain('Notify from Critical is set for 3 technologies.')
})

it('stops watching the watched products, and keeps failed ones selected', async () => {
  service.on(`DELETE /v1/products/${second}`, { body: {} })
  service.on(`DELETE /v1/products/${third}`, { status: 503, body: { code: 'unavailable', message: 'Busy.' } })
  await user.click(screen.getByRole('button', { name: 'Stop watching 2' }))
  await waitFor(() => expect(kept).toEqual([third]))
  expect(service.seen.filter(({ path }) => path.endsWith(String(first)))).toEqual([])
  expect(messages()).toContain('Stopped watching 1 technology. 1 failed.')
})
