import { expect, it } from 'vitest'
import { providePortalConfig } from '#lib/portal-config.ts'
import { installationAt } from '#lib/testing/service.ts'
import { exportAddress } from '#products/export-products.tsx'
import { filterOf, isNarrowed, productsInput } from '#products/search.ts'

const versions = { vendor: 'f5', product: 'nginx' }

it('asks for all versions of one product', () => {
  expect(productsInput(versions).filter).toMatchObject(versions)
  expect(isNarrowed(versions)).toBe(true)
  expect(isNarrowed({ size: 50, sort: 'name' })).toBe(false)
})

it('exports what the list is narrowed to', () => {
  providePortalConfig(installationAt('http://127.0.0.1'))
  const address = new URL(exportAddress(filterOf({ ...versions, watched: true }), 'cyclonedx'))
  expect(address.pathname).toBe('/v1/products/export')
  expect(Object.fromEntries(address.searchParams)).toEqual({
    format: 'cyclonedx',
    'filter.vendor': 'f5',
    'filter.product': 'nginx',
    'filter.watched': 'true',
  })
})
