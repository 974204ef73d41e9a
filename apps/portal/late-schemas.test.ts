import { join } from 'node:path'
import { build, type Rolldown } from 'vite'
import { expect, it } from 'vitest'
import { lateSchemas } from './late-schemas.ts'

const root = import.meta.dirname
const nouns = join(root, '../../packages/contract/src/nouns-of-this-test.ts')
const source = `
  import { z } from 'zod'
  import { endpoint } from './endpoint.ts'
  import { Empty } from './primitives.ts'
  const noted = (what) => (globalThis.notedSchemas ??= []).push(what)
  export const Level = z.enum(['low', 'high']).refine(() => true, (noted('level'), 'level'))
  const shared = { level: Level }
  export const Noun = z.object({ name: z.string(), ...shared })
  export const Unused = z.object({ unused: z.literal('nobody looks at this') })
  export const Wider = Noun.extend({ more: z.number() })
  export const limit = Math.max(2, 3)
  export const getNoun = endpoint({
    method: 'GET', path: '/v1/nouns', summary: 'Words for the reference', input: Empty, result: Noun,
  })
`

/** The code of a program that imports this, as a build makes it. */
async function built(program: string): Promise<string> {
  const output = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [
      lateSchemas(),
      {
        name: 'sources',
        enforce: 'pre',
        resolveId: (id) => (id === 'program' ? '\0program.js' : id === nouns ? id : undefined),
        load: (id) => (id === nouns ? source : id === '\0program.js' ? program : undefined),
      },
    ],
    build: { write: false, minify: false, rolldownOptions: { input: 'program', preserveEntrySignatures: 'strict' } },
  })
  const [{ output: chunks }] = [output].flat() as [Rolldown.RolldownOutput]
  return chunks.flatMap((chunk) => (chunk.type === 'chunk' ? [chunk.code] : [])).join('\n')
}

it('makes a schema when it is first used, and those that it is made of with it', async () => {
  const code = await built(`export * from ${JSON.stringify(nouns)}`)
  const noted = () => (globalThis as { notedSchemas?: string[] }).notedSchemas
  const found = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as typeof Made
  expect(noted()).toBeUndefined()
  expect(found.limit).toBe(3)
  expect(found.Wider.parse({ name: 'a', level: 'low', more: 1 })).toEqual({ name: 'a', level: 'low', more: 1 })
  expect(noted()).toEqual(['level'])
  expect(found.Noun.safeParse({ name: 'a', level: 'none' }).success).toBe(false)
  expect(noted()).toEqual(['level'])
  expect(found.getNoun).toMatchObject({ method: 'GET', path: '/v1/nouns', summary: '' })
})

it('says how to ask without making what it asks and answers', async () => {
  const { getNoun } = (await import(
    `data:text/javascript,${encodeURIComponent(await built(`export { getNoun } from ${JSON.stringify(nouns)}`))}#path`
  )) as typeof Made
  Reflect.deleteProperty(globalThis, 'notedSchemas')
  expect([getNoun.method, getNoun.path]).toEqual(['GET', '/v1/nouns'])
  expect(Reflect.get(globalThis, 'notedSchemas')).toBeUndefined()
  expect(getNoun.result.safeParse({ name: 'a', level: 'low' }).success).toBe(true)
  expect(Reflect.get(globalThis, 'notedSchemas')).toEqual(['level'])
  expect(getNoun).toMatchObject({ method: 'GET', path: '/v1/nouns' })
})

it('leaves out the schemas that nobody uses, and what the reference says of a call', async () => {
  const code = await built(
    `import { Noun, getNoun } from ${JSON.stringify(nouns)}\nexport const used = [Noun, getNoun]`,
  )
  expect(code).toContain('/v1/nouns')
  expect(code).not.toContain('nobody looks at this')
  expect(code).not.toContain('Words for the reference')
})

interface Schema {
  parse(value: unknown): unknown
  safeParse(value: unknown): { readonly success: boolean }
}
declare const Made: {
  readonly limit: number
  readonly Noun: Schema
  readonly Wider: Schema
  readonly getNoun: { readonly method: string; readonly path: string; readonly result: Schema }
}
