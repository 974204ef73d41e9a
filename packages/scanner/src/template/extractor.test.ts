import { expect, it } from 'vitest'
import { extract } from '#template/extractor.ts'
import { compilePattern } from '#template/regex.ts'
import { createUnits, runUnit } from '#unit.ts'

it('stops a check whose extractors produce more than a megabyte', () => {
  const pattern = compilePattern('[0-9]+ x+')
  if (!pattern) throw new Error('the pattern is valid')
  const body = Array.from({ length: 20 }, (_, index) => `${index} ${'x'.repeat(3000)}`).join('\n')
  const response = { get: () => body, defaultPart: 'body' }
  const unit = createUnits('127.0.0.1', 1).of('hostile')
  const once = () =>
    runUnit(unit, () =>
      extract({ type: 'regex', part: '', name: '', isInternal: false, patterns: [pattern], group: 0 }, response),
    )
  expect(once()).toHaveLength(20)
  expect(() => Array.from({ length: 25 }, once)).toThrow('the check extracts more than 1 MB from one host')
  expect(once).toThrow('the check extracts more than 1 MB from one host')
})
