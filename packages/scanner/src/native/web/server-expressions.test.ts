import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

async function isFound(evaluate: (formula: string) => string, name = 'formula'): Promise<boolean> {
  const found = await findOnSite(({ url = '/' }, response) => {
    const value = new URL(url, 'http://here.invalid').searchParams.get(name)
    response.setHeader('content-type', 'text/html')
    response.end(value === null ? `<form action="/"><input name="${name}"></form>` : `<p>${evaluate(value)}</p>`)
  })
  return found.includes('expression-injection')
}

function run(formula: string): string {
  try {
    return String(runInNewContext(formula))
  } catch {
    return 'invalid'
  }
}
const calculate = (formula: string) => (/^[\d\s()*+-]+$/.test(formula) ? run(formula) : 'invalid')

it.each<[string, (formula: string) => string, string, boolean]>([
  ['runs the value', run, 'formula', true],
  ['only calculates', calculate, 'formula', false],
  ['repeats the value', (formula) => formula, 'formula', false],
  ['runs the value of a parameter with another name', run, 'q', false],
])('evaluates a page that %s', async (_, evaluate, name, expected) => {
  expect(await isFound(evaluate, name)).toBe(expected)
})
