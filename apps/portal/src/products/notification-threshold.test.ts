import { expect, it } from 'vitest'
import { thresholdLabel, thresholdName } from '#products/notification-threshold.ts'

it.each([
  [10, 'critical', 'Critical, 10.0'],
  [9, 'critical', 'Critical'],
  [7.5, 'high', 'High, 7.5'],
  [7, 'high', 'High'],
  [0.1, 'low', 'Low'],
  [0, 'all', 'Everything'],
])('%d reads %s', (score, word, label) => {
  expect([thresholdName(score), thresholdLabel(score)]).toEqual([word, label])
})
