import { expect, it } from 'vitest'
import { changeOf, changeText } from '#overview/change.ts'

it.each([
  [[52, 40, 43], '9 fewer than on 24 Aug'],
  [[40, 41], '1 more than on 24 Aug'],
  [[40, 50, 40], 'Same as on 24 Aug'],
  [[], 'Same as on 24 Aug'],
  [[2000, 0], "2'000 fewer than on 24 Aug"],
] as const)('%j: %s', (values, text) => {
  expect(changeText(changeOf(values), '24 Aug')).toBe(text)
})
