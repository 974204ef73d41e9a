import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { loadPacks } from '#index.ts'
import { scanSite } from '#testing/scan-site.ts'

const address = '127.70.3.14'
const checks = mkdtempSync(join(tmpdir(), 'glacis-linked-'))
afterAll(() => rmSync(checks, { recursive: true }))
const check = 'id: orders-open\ninfo: { name: Orders, severity: high }\nhttp:\n'
const request = '  - path: ["{{BaseURL}}/orders"]\n    matchers: [{ type: word, words: [made-up-orders] }]\n'
writeFileSync(join(checks, 'orders-open.yaml'), check + request)
const packs = await loadPacks({ fingerprints: [], checks: [checks], native: false })

/** Where the check matches on a server with this front page and orders in two folders. */
async function locationsOn(front: string): Promise<readonly string[]> {
  const found = await scanSite(
    address,
    ({ url = '' }, response) => {
      response.setHeader('content-type', 'text/html')
      if (url === '/') return void response.end(front)
      if (/^\/(?:shop|lab)\/$/.test(url)) return void response.end('<title>Orders</title>')
      if (/^\/(?:shop|lab)\/orders$/.test(url)) return void response.end('made-up-orders')
      response.writeHead(404).end('not found')
    },
    packs,
  )
  return found.map(({ location }) => location)
}

it('runs all checks in the only folder that the front page links to', async () => {
  expect(await locationsOn('<title>Company</title><a href="/shop/">Shop</a><a href="/terms">Terms</a>')).toEqual([
    '/shop/orders',
  ])
})

it('skips a page without a product that is linked without a slash', async () => {
  expect(await locationsOn('<title>Company</title><a href="/shop">Log in</a>')).toEqual([])
})

it('skips the folders if there are several, because that would take too many requests', async () => {
  expect(await locationsOn('<title>Company</title><a href="/shop/">Shop</a><a href="/lab/">Lab</a>')).toEqual([])
})

it('runs all checks on a site under another name that the front page reveals', async () => {
  const found = await scanSite(
    address,
    ({ url = '', headers }, response) => {
      response.setHeader('content-type', 'text/html')
      if (headers.host?.startsWith('shop.lab.test') !== true)
        return void response.end('<title>Welcome</title><link rel="canonical" href="http://shop.lab.test/">')
      if (url === '/') return void response.end('<title>Shop</title>')
      if (url === '/orders') return void response.end('made-up-orders')
      response.writeHead(404).end('not found')
    },
    packs,
  )
  expect(found).toEqual([{ check: 'orders-open', location: ' shop.lab.test/orders' }])
})

it('requests no site under another name in a scan of a folder', async () => {
  const names = new Set<string>()
  await scanSite(
    address,
    ({ headers }, response) => {
      names.add(headers.host?.split(':')[0] ?? '')
      response.setHeader('content-type', 'text/html')
      response.end('<title>Welcome</title><link rel="canonical" href="http://shop.lab.test/">')
    },
    packs,
    '/welcome/',
  )
  expect(names).toContain(address)
  expect(names).not.toContain('shop.lab.test')
})
