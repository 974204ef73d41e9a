import { expect, it } from 'vitest'
import { software } from '#template/testing/site.ts'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

const info = (id: string) =>
  JSON.stringify({ query: { general: { sitename: 'Shop', dbtype: 'sqlite', dbversion: '3.40.1', wikiid: id } } })
const wikiAt = (address: string) =>
  `<link rel="EditURI" type="application/rsd+xml" href="${address}/api.php?action=rsd"/>`

it.each([
  ['MediaWiki', '/w/data/shop_wiki.sqlite', 'SQLite format 3\0', true],
  ['MediaWiki', '/data/shop_wiki.sqlite', 'SQLite format 3\0', true],
  ['MediaWiki', '/w/data/shop_wiki.sqlite', '<html>SQLite format 3', false],
  ['Kanboard', '/data/db.sqlite', 'SQLite format 3\0', true],
  ['Shop', '/data/db.sqlite', 'SQLite format 3\0', false],
])('requests the database of %s at %s', async (name, path, content, expected) => {
  const folder = path.startsWith('/w/') ? '/w' : ''
  const pages: Readonly<Record<string, string>> = {
    '/': wikiAt(folder === '' ? '' : `http://shop.example${folder}`),
    [`${folder}/api.php?action=query&meta=siteinfo&format=json`]: info('shop_wiki'),
    [path]: content,
  }
  await using server = await tcpPeer(
    answering('', (request) => {
      const page = pages[/^GET (\S+) /.exec(request)?.[1] ?? '']
      const head = page === undefined ? '404 Not Found' : '200 OK'
      return `HTTP/1.1 ${head}\r\nContent-Length: ${page?.length ?? 0}\r\n\r\n${page ?? ''}`
    }),
  )
  const { found } = await runNativeChecks(server, { protocol: 'http', technologies: [software(name)] })
  expect(found.includes('application-database-exposed')).toBe(expected)
})
