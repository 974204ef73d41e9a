import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'
import { languageOf } from '#native/web/serialized-cookies.ts'

// cspell:disable
it.each<[string, string | undefined]>([
  ['gASVCwAAAAAAAABdlCiMBWFwcGxllGUu', 'Python'],
  ["b'gARdlC4='", 'Python'],
  ['rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcA==', 'Java'],
  ['O:6:"Basket":1:{s:5:"items";a:0:{}}', 'PHP'],
  ['Tzo2OiJCYXNrZXQiOjE6e3M6NToiaXRlbXMiO2E6MDp7fX0=', 'PHP'],
  ['YToxOntzOjQ6ImxhbmciO3M6MjoiZGUiO30=', 'PHP'],
  ['BAh7B0kiD3Nlc3Npb25faWQGOgZFVCIRMTIzNDU2Nzg5MDEy', 'Ruby'],
  ['AAEAAAD/////AQAAAAAAAAAEAQAAAA==', '.NET'],
  ['BAh7B0kiD3Nlc3Npb25faWQGOgZFVCIR--0a4d55a8d778e5022fab701977c5d840bbc486d0', undefined],
  ['!IFO1oC7mS+uJpY7deuudlv5Pv2X75UoTP/omW1F7nLU=?gAWVFgAAAAAAAABdlCiMBmJhc2tldJSMBWVtcHR5lGUu', undefined],
  ['eyJ2aXNpdHMiOiAxLCJiYXNrZXQiOltdfQ==', undefined],
  ['0123456789abcdef0123456789abcdef', undefined],
])('recognizes the object in %s', (value, expected) => {
  expect(languageOf({ name: 'basket', raw: value, value })).toBe(expected)
})

it('reads the cookies of pages that the sitemap names', async () => {
  const found = await findOnSite(({ url, headers }, response) => {
    response.setHeader('connection', 'close')
    if (url === '/cart/') response.setHeader('set-cookie', 'cart=gASVCwAAAAAAAABdlCiMBWFwcGxllGUu; Path=/')
    if (url === '/sitemap.xml') response.end(`<urlset><url><loc>http://${headers.host}/cart/</loc></url></urlset>`)
    else response.writeHead(url === '/' || url === '/cart/' ? 200 : 404).end('<title>Shop</title>')
  })
  expect(found).toContain('cookie-serialized-object')
})
// cspell:enable
