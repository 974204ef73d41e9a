import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listReader } from '#template/lists.ts'

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'glacis-lists-'))
  await mkdir(join(root, 'pack/lists'), { recursive: true })
  await writeFile(join(root, 'pack/lists/names.txt'), 'one\r\n\ntwo\n')
  await writeFile(join(root, 'outside.txt'), 'secret\n')
  await writeFile(join(root, 'pack/large.txt'), 'x'.repeat(600 * 1024))
  await symlink(join(root, 'outside.txt'), join(root, 'pack/link.txt'))
})
afterAll(() => rm(root, { recursive: true }))

it('reads a list in the pack', () => {
  expect(listReader(join(root, 'pack'))('lists/names.txt')).toEqual(['one', 'two'])
})

it.each([
  '../outside.txt',
  'lists/../../outside.txt',
  'link.txt',
  'large.txt',
  'lists',
  '.',
  'missing.txt',
  '/etc/hosts',
])('returns null for %s', (path) => {
  expect(listReader(join(root, 'pack'))(path)).toBeNull()
})
