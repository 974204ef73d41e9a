import { invalid } from '#errors.ts'
import type { FastifyRequest } from 'fastify'

const lengthMax = 255

/** The key of a request; null without one. @throws Refusal `invalid` for one that is no short line of ASCII */
export function keyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || key.length > lengthMax || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalid('Idempotency-Key', `Idempotency-Key is one word of at most ${lengthMax} visible ASCII characters`)
  }
  return key
}
