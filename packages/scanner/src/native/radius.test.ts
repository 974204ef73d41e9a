import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { isRadiusAnswer, statusRequest } from '#native/radius.ts'

/** Access-Accept without attributes, signed as in RFC 2865, section 3. */
function accept(secret: string): Buffer {
  const head = Buffer.from([2, 0x47, 0, 20])
  const digest = createHash('md5').update(head).update(statusRequest.subarray(4, 20)).update(secret).digest()
  return Buffer.concat([head, digest])
}

it('accepts only responses that are signed with the default secret', () => {
  expect(isRadiusAnswer(accept('testing123'))).toBe(true)
  expect(isRadiusAnswer(accept('other'))).toBe(false)
  expect(isRadiusAnswer(accept('testing123').subarray(0, 19))).toBe(false)
})
