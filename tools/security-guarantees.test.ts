/** Each guarantee in docs/security-guarantees.md names the test files that verify it; this keeps the page accurate. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = 'docs/security-guarantees.md'
const text = readFileSync(join(root, page), 'utf8')
const rows = [...text.matchAll(/^\| (SEC-[A-H]\d) \| (.+?) \|(.*)\|$/gm)]
/** How many guarantees each section has: removing one has to be deliberate. */
const guarantees = { A: 9, B: 3, C: 5, D: 4, E: 3, F: 4, G: 6, H: 3 }

it('lists every guarantee once, in order', () => {
  const ids = Object.entries(guarantees).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => `SEC-${section}${index + 1}`),
  )
  expect(rows.map(([, id]) => id)).toEqual(ids)
})

it('has a test for every guarantee, and no test for an unknown one', () => {
  expect([...filesById().keys()].toSorted()).toEqual(rows.map(([, id]) => id))
})

it('names the test files of each guarantee (update it with vitest -u)', async () => {
  const files = filesById()
  const current = rows.reduce(
    (result, [row, id = '', guarantee = '']) => result.replace(row, () => rowOf(id, guarantee, files.get(id) ?? [])),
    text,
  )
  await expect(current).toMatchFileSnapshot(`../${page}`)
})

function rowOf(id: string, guarantee: string, files: readonly string[]): string {
  return `| ${id} | ${guarantee} | ${files.map((file) => `\`${file}\``).join(', ')} |`
}

/** The test files by the IDs at the start of their test names. */
function filesById(): Map<string, string[]> {
  const testsByGuarantee = new Map<string, string[]>()
  const patterns = ['{packages,apps}/*/src/**/*.test.{ts,tsx}', '{tools,packs,lab}/**/*.test.ts', 'e2e/*.spec.ts']
  for (const file of globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] }).toSorted()) {
    const source = readFileSync(join(root, file), 'utf8')
    for (const [, ids = ''] of source.matchAll(/['"`]((?:SEC-[A-H]\d )+)/g)) {
      for (const id of ids.trim().split(' '))
        testsByGuarantee.set(id, [...new Set([...(testsByGuarantee.get(id) ?? []), file])])
    }
  }
  return testsByGuarantee
}
