import { expect, it } from 'vitest'
import { packFolders } from '#packs/index.ts'

const root = new URL('../../../..', import.meta.url).pathname

it.each([
  ['/no/such/packs', 'GLACIS_PACKS: /no/such/packs does not exist. Check the path.'],
  [`${root}LICENSE`, `GLACIS_PACKS: ${root}LICENSE is not a .yaml, .xml, .json, or nmap-service-probes file.`],
])('fails for an invalid path in GLACIS_PACKS: %s', (path, message) => {
  expect(() => packFolders(root, [path])).toThrow(message)
})
