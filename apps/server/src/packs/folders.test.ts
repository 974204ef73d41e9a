import { expect, it } from 'vitest'
import { packFolders } from '#packs/index.ts'

const root = new URL('../../../..', import.meta.url).pathname

it.each([
  ['/no/such/packs', 'GLACIS_PACKS names /no/such/packs, which is not there; mend the path.'],
  [`${root}LICENSE`, `GLACIS_PACKS names ${root}LICENSE, whose ending is none of .yaml, .xml and .json; mend it.`],
])('does not start without what an operator has named: %s', (path, words) => {
  expect(() => packFolders(root, [path])).toThrow(words)
})
