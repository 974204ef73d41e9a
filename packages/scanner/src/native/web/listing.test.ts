import { describe, expect, it } from 'vitest'
import { listedNames, listsOnlyAssets } from '#native/web/listing.ts'
import { findOnSite } from '#native/testing/examine.ts'

const rows = (names: readonly string[]) => names.map((name) => `<li><a href="${name}">${name}</a></li>`).join('')

describe('listedNames', () => {
  it.each([
    [
      'a listing title',
      '<title>Files within public&#47;</title><ul><li><a href="&#47;a.txt" class="f">a.txt</a></ul>',
      ['a.txt'],
    ],
    ['the path as title', `<title>/</title><h1>/</h1><table>${rows(['x/', 'y.sql'])}</table>`, ['x', 'y.sql']],
    ['a link to the parent folder', `<h1>/</h1><a href="../">../</a>${rows(['a.txt'])}`, ['a.txt']],
    [
      'sizes',
      '<table><tr><td><a href="a.txt">a.txt</a><td>12 KB<tr><td><a href="b">b</a><td>1.5 MiB</table>',
      ['a.txt', 'b'],
    ],
    ['nothing but links', '<pre>\n<a href=".env">.env</a>\n<a href="a.txt">a.txt</a>\n</pre>\n', ['.env', 'a.txt']],
    [
      'an icon in the link',
      '<title>/</title><a href="./b%20c.txt"><svg><path/></svg><span>b c.txt</span></a>',
      ['b c.txt'],
    ],
    [
      'a shortened name',
      '<h1>Index of /</h1><a href="a-very-long-name.tar.gz">a-very-long-na..&gt;</a>',
      ['a-very-long-name.tar.gz'],
    ],
    ['no files', '<title>Index of /backup/</title><h1>Index of /backup/</h1>', []],
  ])('recognizes a listing by %s', (_, html, expected) => {
    expect(listedNames(html, html.includes('/backup/') ? '/backup/' : '/')?.slice(0, expected.length)).toEqual(expected)
  })
  it.each([
    ['profiles, which are pages with a query', '<title>/</title><a href="heap?debug=1">heap</a>'],
    [
      'a site with navigation',
      `<title>Shop</title><nav>${rows(['about', 'contact', 'prices'])}</nav><p>We sell glass.</p>`,
    ],
    ['a site whose links have labels', '<title>/</title><a href="/about">About us</a><a href="/blog">Blog</a>'],
    ['a package index', `<title>Simple index</title>${rows(['flask/', 'numpy/'])}`],
    ['a page of projects', `<h1>Index of packages</h1>${rows(['flask/', 'numpy/'])}`],
    [
      'an article about listings',
      '<title>Directory listings explained</title><p>Index of / is a title. <a href="/more">more</a> 12 KB</p><a href="/x/y">Next</a>',
    ],
    ['links elsewhere', '<title>Mirror</title><a href="https://a.test/a.txt">a.txt</a> 12 KB'],
  ])('does not mistake %s for a listing', (_, html) => {
    expect(listedNames(html, '/')).toBeUndefined()
  })
  it('takes little processor time for a hostile page', () => {
    const startedAt = process.cpuUsage()
    for (const part of ['<a href=', '<script>', '<', '<h1>', '<a href="x">', '&#1'])
      expect(listedNames(part.repeat(100_000), '/')).toBeUndefined()
    expect(process.cpuUsage(startedAt).user).toBeLessThan(5_000_000)
  })
})

describe('listsOnlyAssets', () => {
  it.each([
    [['css/', 'app.min.js', 'logo.svg'], true],
    [['css/', 'app.min.js', 'backup.sql'], false],
    [['main.js', 'search_index.json'], true],
    [['main.js', 'search_index.json'], true],
    [['.git/'], false],
  ])('decides on %j', (names, expected) => {
    expect(listsOnlyAssets(`<h1>Index of /static/</h1>${rows(names)}`, '/static/')).toBe(expected)
  })
})

it.each([
  ['"list":[{"n":"share/","m":"2026-11-27T22:53:49.610Z"}]', true],
  ['"list":[]', false],
])('finds files that only the API of HFS lists: %s', async (list, isExpected) => {
  const found = await findOnSite(({ url = '' }, response) => {
    if (url === '/') response.end('<script>HFS = { "VERSION": "0.52.9", "SPECIAL_URI": "/~/" }</script>')
    else if (url === '/~/api/get_file_list?uri=/') response.end(`{"can_upload":false,${list}}`)
    else response.writeHead(404).end()
  })
  expect(found.includes('directory-listing')).toBe(isExpected)
})
