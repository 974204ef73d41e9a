import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { schemaDocument } from '#schema.ts'

it('matches the identity schema in the documentation', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/kratos.md'), 'utf8')
  const block = /```json\n([^]*?)```/.exec(page)?.[1] ?? ''
  expect(JSON.parse(block)).toEqual(schemaDocument)
})
