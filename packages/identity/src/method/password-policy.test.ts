import { expect, it } from 'vitest'
import { passwordPolicyError } from '#method/password-policy.ts'

const address = 'jane.frost@example.test'

it.each([
  ['Abcd123', 4000032],
  ['🔒🔑🗝️🔐', 4000032],
  ['x'.repeat(1025), 4000033],
  ['jane.frost@example.test', 4000031],
  ['JANE.FROST@example', 4000031],
  ['jane.frost1', 4000031],
  ['Password123', 4000034],
  ['qwertyuiop', 4000034],
  ['11111111', 4000034],
] as const)('SEC-A1 rejects %s', (password, id) => {
  expect(passwordPolicyError(password, address)?.id).toBe(id)
})

it.each([
  'Correct-Horse-7-Battery',
  'eight8ch',
  'только-не-это',
  'a frost in may',
  '雪雪雨雪雪雨雪晴',
  'long '.repeat(200),
])('SEC-A1 accepts %s', (password) => {
  expect(passwordPolicyError(password, address)).toBeNull()
})
