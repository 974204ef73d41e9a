import { expect, it } from 'vitest'
import { readRetire } from '#feed/retire.ts'
import { productKeys } from '#threat.ts'

it.each([
  ['DOMPurify', 'cure53:dompurify'],
  ['tinyMCE', 'tiny:tinymce'],
  ['YUI', 'yahoo:yui'],
  ['markdown-it', 'markdown-it_project:markdown-it'],
  ['lodash', 'lodash:lodash'],
])('maps %s to its CPE name', (library, key) => {
  const vulnerability = { below: '2.0.17', identifiers: { CVE: ['CVE-2020-26870'] }, cwe: [], info: [] }
  const [item] = readRetire({ [library]: { vulnerabilities: [vulnerability] } })
  expect(item?.kind === 'threat' && productKeys(item.threat)).toEqual([key])
})
