import { expect, it } from 'vitest'
import { providePortalConfig } from '#lib/portal-config.ts'
import { countFilters } from '#lib/search-schema.ts'
import { testConfig } from '#lib/testing/service.ts'
import { exportUrl } from '#products/export-products.tsx'
import { productFilter, productsInput } from '#products/search.ts'

const versions = { vendor: 'f5', product: 'nginx' }

it('requests all versions of a product', () => {
  expect(productsInput(versions).filter).toMatchObject(versions)
  expect(countFilters(versions)).toBe(2)
  expect(countFilters({ size: 50, sort: 'name' })).toBe(0)
})

it('exports the filtered list', () => {
  providePortalConfig(testConfig('http://127.0.0.1'))
  const address = new URL(exportUrl(productFilter({ ...versions, watched: true }), 'cyclonedx'))
  expect(address.pathname).toBe('/v1/products/export')
  expect(Object.fromEntries(address.searchParams)).toEqual({
    format: 'cyclonedx',
    'filter.vendor': 'f5',
    'filter.product': 'nginx',
    'filter.watched': 'true',
  })
})
