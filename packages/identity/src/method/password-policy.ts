/** Password policy, following NIST SP 800-63B-4 section 3.1.1. */
import { commonPasswords } from '#method/common-passwords.ts'
import { normalizeAddress } from '#schema.ts'
import type { Message } from '#ui/message.ts'
import { errorMessage } from '#ui/error-message.ts'

const lengthMin = 8
/** Allows long passphrases and bounds the cost of hashing. */
const lengthMax = 1024
/** Minimum Levenshtein distance between the password and the address. */
const distanceMin = 5
/** Maximum fraction of the password that may be a substring of the address. */
const sharedShareMax = 0.5

/** Returns an error if the policy rejects a password for this address. Lengths are in characters. */
export function passwordPolicyError(password: string, address: string): Message | null {
  const { length } = Array.from(password)
  if (length < lengthMin) return errorMessage.passwordTooShort(lengthMin, length)
  if (length > lengthMax) return errorMessage.passwordTooLong(lengthMax, length)
  if (isSimilar(password.toLowerCase(), normalizeAddress(address))) return errorMessage.passwordLikeIdentifier
  if (isCommon(password)) return errorMessage.passwordBreached(1)
  return null
}

function isCommon(password: string): boolean {
  const lower = password.toLowerCase()
  return commonPasswords.has(lower) || new Set(lower).size === 1
}

function isSimilar(password: string, address: string): boolean {
  if (distance(password, address) < distanceMin) return true
  return longestCommonSubstring(password, address) / password.length > sharedShareMax
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

/** Length of the longest common substring. */
function longestCommonSubstring(a: string, b: string): number {
  let longest = 0
  let previous: number[] = []
  for (const character of a) {
    const next = Array.from(b, (other, index) => (character === other ? (previous[index - 1] ?? 0) + 1 : 0))
    longest = Math.max(longest, ...next)
    previous = next
  }
  return longest
}
