import { expect, it } from 'vitest'
import { changeOver } from '#overview/change.ts'

it.each([
  [[52, 40, 43], '24 Aug', 'better', '9 fewer than on 24 Aug'],
  [[40, 41], '24 Aug', 'worse', '1 more than on 24 Aug'],
  [[40, 50, 40], '24 Aug', 'same', 'Same as on 24 Aug'],
  [[], '', 'same', 'No change'],
  [[2000, 0], '', 'better', "2'000 fewer"],
] as const)('%j since %s is %s: %s', (values, since, verdict, text) => {
  expect(changeOver(values, since)).toMatchObject({ verdict, text })
})
