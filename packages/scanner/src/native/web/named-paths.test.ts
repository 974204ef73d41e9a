import { expect, it } from 'vitest'
import { pathsInRobots } from '#native/web/named-paths.ts'
import { findOnSite } from '#native/testing/examine.ts'

const shares = (type: string) =>
  `<D:multistatus xmlns:D="DAV:"><D:response><D:href>/</D:href><D:propstat><D:prop><D:resourcetype>${type}</D:resourcetype></D:prop></D:propstat></D:response></D:multistatus>`
const profiles = '<html>Types of profiles available:<p>full goroutine stack dump'
const variables = '{"cmdline": ["shop"], "memstats": {"HeapAlloc":1}}'

/** The checks that match on a site with these pages, and a share at one path. */
function findOn(pages: Readonly<Record<string, string>>, share = '', type = '<D:collection/>') {
  return findOnSite(({ url = '', method }, response) => {
    const isShare = method === 'PROPFIND' && url === share
    const page = isShare ? shares(type) : method === 'PROPFIND' ? undefined : pages[url]
    response.writeHead(page === undefined ? 404 : isShare ? 207 : 200, { 'content-type': 'text/html' }).end(page)
  })
}

it('reads the paths in robots.txt, but no patterns', () => {
  expect(
    pathsInRobots('User-agent: *\nDisallow: /uploads/\r\nAllow:/a/b\nDisallow: /*.pdf$\nDisallow:\n# Disallow: /x/'),
  ).toEqual(['/uploads/', '/a/b'])
})

it.each([
  ['at the root', {}, '/'],
  ['in a common folder', {}, '/webdav/'],
  ['in a folder that robots.txt names', { '/robots.txt': 'User-agent: *\nDisallow: /team/files/\n' }, '/team/files/'],
  ['in a linked folder', { '/': '<a href="media/">Media</a>' }, '/media/'],
])('finds a WebDAV share %s', async (_, pages, share) => {
  expect(await findOn({ '/': '<p>Hello', ...pages }, share)).toContain('webdav-open')
})

it('ignores a share that no page names, and a page that PROPFIND describes', async () => {
  expect(await findOn({ '/': '<p>Hello' }, '/team/files/')).not.toContain('webdav-open')
  expect(await findOn({ '/': '<p>Hello' }, '/', '')).not.toContain('webdav-open')
})

it.each([
  ['at their usual paths', { '/debug/pprof/': profiles, '/debug/vars': variables }],
  [
    'where the start page links to them',
    {
      '/': '<a href="/ops/debug/pprof/">Profiles</a><a href="/ops/vars">Variables</a>',
      '/ops/debug/pprof/': profiles,
      '/ops/vars': variables,
    },
  ],
])("finds Go's debugging endpoints %s", async (_, pages) => {
  const found = await findOn({ '/': '<p>Hello', ...pages })
  expect(found).toContain('go-pprof-exposed')
  expect(found).toContain('go-expvar-exposed')
})

it("leaves InfluxDB's variables to its own check, and ignores other pages", async () => {
  const found = await findOn({
    '/': '<p>Hello',
    '/debug/pprof/': '<p>Profiles',
    '/debug/vars': variables.replace('shop', 'influxd'),
  })
  expect(found).not.toContain('go-pprof-exposed')
  expect(found).not.toContain('go-expvar-exposed')
})

it('finds what only the sitemap names', async () => {
  const found = await findOn({
    '/': '<p>Hello',
    '/sitemap.xml':
      '<urlset><url><loc>https://shop.example/</loc></url><url><loc>https://shop.example/export/customers.csv</loc></url></urlset>',
    '/export/customers.csv': 'name,email,phone\nAda,ada@shop.example,044 555 01 01\nBo,bo@shop.example,044 555 01 02\n',
  })
  expect(found).toContain('confidential-files-exposed')
})
