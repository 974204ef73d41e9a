/** Which passwords are refused. See NIST SP 800-63B-4 section 3.1.1. */
import { commonPasswords } from '#method/common-passwords.ts'
import { normalAddress } from '#schema.ts'
import type { Message } from '#ui/message.ts'
import { problem } from '#ui/problem.ts'

const lengthMin = 8
/** Long pass phrases are welcome; a megabyte of them is not. */
const lengthMax = 1024
/** Edits between password and address under which they are the same to a guesser. */
const distanceMin = 5
/** Largest part of a password that may be a piece of the address. */
const sharedShareMax = 0.5

/** Says why a password cannot be used by the holder of an address; null when it can. Lengths are in characters. */
export function passwordFault(password: string, address: string): Message | null {
  const { length } = Array.from(password)
  if (length < lengthMin) return problem.passwordTooShort(lengthMin, length)
  if (length > lengthMax) return problem.passwordTooLong(lengthMax, length)
  if (isLike(password.toLowerCase(), normalAddress(address))) return problem.passwordLikeIdentifier
  if (isCommon(password)) return problem.passwordBreached(1)
  return null
}

function isCommon(password: string): boolean {
  const lower = password.toLowerCase()
  return commonPasswords.has(lower) || new Set(lower).size === 1
}

function isLike(password: string, address: string): boolean {
  if (distance(password, address) < distanceMin) return true
  return longestShared(password, address) / password.length > sharedShareMax
}

/** Levenshtein distance, one row at a time. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const next = [row]
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      next.push(Math.min(substitution, (previous[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    previous = next
  }
  return previous[b.length] ?? 0
}

/** Length of the longest run of characters that two texts have in common. */
function longestShared(a: string, b: string): number {
  let longest = 0
  let previous: number[] = []
  for (const character of a) {
    const next = Array.from(b, (other, index) => (character === other ? (previous[index - 1] ?? 0) + 1 : 0))
    longest = Math.max(longest, ...next)
    previous = next
  }
  return longest
}
