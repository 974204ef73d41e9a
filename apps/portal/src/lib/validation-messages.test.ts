import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod/mini'
import { installValidationMessages } from '@glacis/contract/validation-messages'

beforeAll(installValidationMessages)

it.each([
  ['a missing value', z.string(), undefined, 'Required'],
  ['another type', z.string(), 7, 'Expected string, received number'],
  ['null instead of a number', z.number(), null, 'Expected number, received null'],
  ['an address without @', z.email(), 'nora', 'Invalid email'],
  ['a short text', z.string().check(z.minLength(1)), '', 'String must contain at least 1 character(s)'],
  ['a small number', z.number().check(z.minimum(1)), 0, 'Number must be greater than or equal to 1'],
  ['a number at a bound that is outside', z.number().check(z.positive()), 0, 'Number must be greater than 0'],
  ['a large number', z.number().check(z.maximum(7)), 8, 'Number must be less than or equal to 7'],
  ['a long text', z.string().check(z.maxLength(2)), 'abc', 'String must contain at most 2 character(s)'],
  ['a missing word of a list', z.enum(['aal1', 'aal2']), undefined, 'Required'],
  ['a word outside the list', z.enum(['aal1', 'aal2']), 'aal3', "Invalid enum value. Expected 'aal1' | 'aal2'"],
  ['a value that matches no alternative', z.union([z.number(), z.boolean()]), 'x', 'Invalid input'],
])('describes %s', (_, schema, value, message) => {
  expect(schema.safeParse(value).error?.issues[0]?.message).toBe(message)
})
