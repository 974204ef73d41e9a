/** What a value is told that does not fit its schema, in the product's words. */
import { z } from 'zod'

type Issue = Parameters<NonNullable<z.core.$ZodConfig['customError']>>[0]

/** Makes every schema of the process speak these words. */
export function speakOwnMessages(): void {
  z.config({ customError: wordsFor })
}

function wordsFor(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'Required' : `Expected ${issue.expected}, received ${kindOf(issue.input)}`
    case 'invalid_format':
      return `Invalid ${issue.format}`
    case 'too_small':
      return tooSmall(issue.origin, issue.minimum)
    case 'invalid_value':
      return `Invalid enum value. Expected ${issue.values.map((value) => `'${String(value)}'`).join(' | ')}`
    case 'invalid_union':
      return 'Invalid input'
    case 'too_big':
      return tooBig(issue.origin, issue.maximum)
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    default:
      return undefined
  }
}

function tooSmall(origin: string, minimum: unknown): string | undefined {
  if (origin === 'string') return `String must contain at least ${String(minimum)} character(s)`
  if (origin === 'number' || origin === 'int') return `Number must be greater than or equal to ${String(minimum)}`
  return undefined
}

function tooBig(origin: string, maximum: unknown): string | undefined {
  if (origin === 'string') return `String must contain at most ${String(maximum)} character(s)`
  if (origin === 'number' || origin === 'int') return `Number must be less than or equal to ${String(maximum)}`
  return undefined
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isNaN(value) ? 'nan' : typeof value
}
