/** Bearer tokens of every kind: random, shown once, and stored as a digest. */
import { createHash, randomBytes } from 'node:crypto'
import { invalid } from '#errors.ts'

const shownLength = 12
const dayMs = 86_400_000

/**
 * @param prefix by which secret scanners recognize the kind of token
 * @returns the token, what to store of it, and the part that lists show
 */
export function newBearer(prefix: string): { token: string; digest: Buffer; shown: string } {
  const token = prefix + randomBytes(32).toString('base64url')
  return { token, digest: digestOf(token), shown: token.slice(0, shownLength) }
}

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/**
 * @param life in days
 * @param member of the request that names the end time
 * @throws ApiError `invalid` for an end time in the past or after the longest life
 */
export function expiryOf(
  now: Date,
  requested: string | undefined,
  life: { readonly default: number; readonly most: number },
  member: string,
): Date {
  if (requested === undefined) return new Date(now.getTime() + life.default * dayMs)
  const end = new Date(requested)
  if (end <= now) throw invalid(member, 'The end time is in the past')
  if (end.getTime() > now.getTime() + life.most * dayMs)
    throw invalid(member, `A token can be valid for at most ${life.most} days`)
  return end
}
