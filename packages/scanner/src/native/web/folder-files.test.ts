import { expect, it } from 'vitest'
import { foldersIn } from '#native/web/folder-files.ts'
import { findOnPages, findOnSite } from '#native/testing/examine.ts'

const front = '<a href="/crm/">CRM</a>'

function examine(files: Readonly<Record<string, string>>, otherwise?: string) {
  return findOnSite(({ url = '' }, response) => {
    const body = url === '/' ? front : (files[url] ?? otherwise)
    response.writeHead(body === undefined ? 404 : 200, { connection: 'close' }).end(body)
  })
}

it.each([
  ['a repository', '/crm/.git/HEAD', 'ref: refs/heads/main\n'],
  ['settings', '/crm/.env', 'DB_HOST=db\nDB_USER=shop\n'],
  ['a backup', '/crm/backup.zip', 'PK\u0003\u0004...'],
  ['a backup with the name of the folder', '/crm/backup/crm.zip', 'PK\u0003\u0004...'],
])('proves %s in a linked folder', async (_, path, content) => {
  expect(await examine({ [path]: content })).toContain('application-files-exposed')
})

it('proves the history of a shell in a home folder', async () => {
  const files = { '/': '<a href="/~ann/">Ann</a>', '/~ann/.bash_history': 'cd www\nmysql -u shop\nexit\n' }
  expect(await findOnPages(files)).toContain('application-files-exposed')
})

it.each([
  ['a page at that path', { '/crm/.git/HEAD': '<!doctype html><title>CRM</title>' }, undefined],
  ['a server that returns the same for any path', {}, 'ref: refs/heads/main\n'],
])('is silent on %s', async (_, files, otherwise) => {
  expect(await examine(files, otherwise)).not.toContain('application-files-exposed')
})

it('ignores folders of assets and of other servers', () => {
  const html = '<a href="/static/a/">a</a><a href="https://other.example/app/">b</a><a href="/shop/list?page=2">c</a>'
  expect(foldersIn(html)).toEqual(['/shop/'])
})
