import { invalid } from '#errors.ts'
import type { FastifyRequest } from 'fastify'

const lengthMax = 255

/** Returns the `Idempotency-Key` of a request, or null. @throws ApiError `invalid` if it is malformed or too long */
export function keyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || key.length > lengthMax || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalid(
      'Idempotency-Key',
      `Idempotency-Key must be 1 to ${lengthMax} visible ASCII characters without spaces`,
    )
  }
  return key
}
