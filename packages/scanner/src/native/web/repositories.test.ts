import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'
import { repositoriesIn } from '#native/web/repositories.ts'

const advertisement = (service: string) => `001e# service=${service}\n0000`

/** A web server whose front page names a repository, and the services that it offers for it. */
function examineGit(front: string, services: readonly string[]) {
  return findOnSite(({ url = '' }, response) => {
    const service = services.find((name) => url === `/git/shop.git/info/refs?service=${name}`)
    const body = url === '/' ? front : service && advertisement(service)
    response.writeHead(body === undefined ? 404 : 200, { connection: 'close' }).end(body ?? 'not found')
  })
}

it.each([
  ['an address in its text', '<p>git clone https://code.lab.test/git/shop.git</p>'],
  ['a link', '<a href="git/shop.git">shop</a>'],
])('finds a Git repository by %s', async (_, front) => {
  const found = await examineGit(front, ['git-upload-pack'])
  expect(found).toContain('git-http-open')
  expect(found).not.toContain('git-http-anonymous-push')
})

it('reports a Git repository that accepts anonymous pushes', async () => {
  const both = ['git-upload-pack', 'git-receive-pack']
  expect(await examineGit('http://code.lab.test/git/shop.git', both)).toEqual(
    expect.arrayContaining(['git-http-open', 'git-http-anonymous-push']),
  )
})

it('ignores a Git repository that requires authentication', async () => {
  const found = await examineGit('http://code.lab.test/git/shop.git', [])
  expect(found.filter((check) => check.startsWith('git-http'))).toEqual([])
})

it.each([
  ['https://code.lab.test/shop.github.io', []],
  ['<a href="/.git">', []],
  ['<a href="https://elsewhere.test/shop.git">', ['/shop.git']],
  ['/a.git', []],
  ['<a href="a.git"><a href="b.git/"><a href=/c.git><a href="d.git">', ['/code/a.git', '/code/b.git', '/c.git']],
])('reads the paths of repositories: %s', (html, paths) => {
  expect(repositoriesIn(html, '/code/')).toEqual(paths)
})

const collection =
  '<html><head><title>Collection of Repositories</title></head>\n<body>\n <h2>Collection of Repositories</h2>\n <ul>\n  <li><a href="billing/">billing/</a></li>\n </ul>\n</body></html>'
const repository =
  '<html><head><title>billing - Revision 1: /</title></head>\n<body>\n <h2>billing - Revision 1: /</h2>\n <ul>\n  <li><a href="trunk/">trunk/</a></li>\n </ul>\n</body></html>'

const described = (index: string) =>
  `<?xml version="1.0"?>\n<svn version="1.14.2 (r1899510)"\n     href="http://subversion.apache.org/">\n  ${index}\n</svn>`
const collectionInXml = described(
  '<index rev="0" path="Collection of Repositories">\n    <dir name="billing" href="billing/" />\n  </index>',
)
const repositoryInXml = described('<index rev="1" path="/" base="billing">\n  </index>')

it.each([
  ['a repository', { '/': repository }, true],
  ['a repository in XML', { '/': repositoryInXml }, true],
  ['a collection in XML', { '/': collectionInXml, '/billing/': repositoryInXml }, true],
  ['a collection in XML whose repositories require authentication', { '/': collectionInXml }, false],
  ['a collection with a repository', { '/': collection, '/billing/': repository }, true],
  ['a collection whose repositories require authentication', { '/': collection }, false],
  ['an article', { '/': '<title>Revision 1: /etc</title><body><p>Changes' }, false],
])('judges %s of Subversion', async (_, pages: Readonly<Record<string, string>>, isOpen) => {
  const found = await findOnSite(({ url = '' }, response) => {
    response.writeHead(url in pages ? 200 : 401, { connection: 'close' }).end(pages[url] ?? 'denied')
  })
  expect(found.includes('svn-http-open')).toBe(isOpen)
})
