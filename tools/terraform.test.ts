/**
 * The Terraform example, read by HashiCorp's own parser. Without Terraform and a cluster, this proves the syntax, that
 * references resolve, and that the values are those of the chart; not that it can be applied.
 */
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

// Its types include those of browsers, which would replace those of Node.js in the whole project.
const { convertFiles }: { convertFiles(folder: string): Promise<unknown> } = createRequire(import.meta.url)(
  '@cdktn/hcl2json',
)
const folder = join(import.meta.dirname, '../deploy/terraform')
const source = globSync('*.tf', { cwd: folder })
  .map((file) => readFileSync(join(folder, file), 'utf8'))
  .join('\n')
type Blocks = Readonly<Record<string, Readonly<Record<string, unknown>>>>
const parsed: Blocks = Object(await convertFiles(folder))

it('is valid HCL with the expected resources', () => {
  expect(Object.keys(parsed['resource'] ?? {}).toSorted()).toEqual([
    'helm_release',
    'kubernetes_namespace_v1',
    'kubernetes_secret_v1',
  ])
})

it('declares every variable that it uses, and uses every variable that it declares', () => {
  const used = [...source.matchAll(/\bvar\.(\w+)/g)].map(([, name]) => name)
  expect(new Set(used)).toEqual(new Set(Object.keys(parsed['variable'] ?? {})))
})

it('refers to resources that exist', () => {
  const references = [...source.matchAll(/\b(kubernetes_\w+|helm_release)\.(\w+)\./g)]
  expect(references.length).toBeGreaterThan(3)
  for (const [, type = '', name = ''] of references) expect(parsed['resource']?.[type]).toHaveProperty(name)
})

it('sets only values that the chart has', () => {
  const chart: Record<string, unknown> = parse(readFileSync(join(folder, '../helm/glacis/values.yaml'), 'utf8'))
  const [, values = ''] = /yamlencode\(\{([^]*?)\n {2}\}\)/.exec(source) ?? []
  const names = [...values.matchAll(/^ {4}(\w+) += (?:\{ (\w+) =)?/gm)]
  expect(names.length).toBeGreaterThan(4)
  for (const [, name = '', member] of names)
    expect(chart).toHaveProperty(member === undefined ? name : `${name}.${member}`)
})
