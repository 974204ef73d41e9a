/** Validation error messages. */
import { z } from 'zod/mini'

type Issue = Parameters<NonNullable<z.core.$ZodConfig['customError']>>[0]

/** Installs these messages for all schemas of the process. */
export function installValidationMessages(): void {
  z.config({ customError: messageFor })
}

function messageFor(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'Required'
      if (issue.expected === 'object' && typeof issue.input === 'string') return notAnObject(issue)
      return `Expected ${issue.expected}, received ${kindOf(issue.input)}`
    case 'unrecognized_keys':
      return `Unknown field. Allowed: ${membersOf(issue)}`
    case 'invalid_format':
      return `Invalid ${issue.format}`
    case 'too_small':
      return tooSmall(issue)
    case 'invalid_value':
      if (issue.input === undefined) return 'Required'
      return `Invalid enum value. Expected ${issue.values.map((value) => `'${String(value)}'`).join(' | ')}`
    case 'invalid_union':
      return 'Invalid input'
    case 'too_big':
      return tooBig(issue)
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'not_multiple_of':
    default:
      return undefined
  }
}

/** Explains a query such as `filter=open` instead of `filter.status=…`. */
function notAnObject(issue: Issue): string {
  const message = 'Expected object, received string'
  if (issue.path?.at(-1) !== 'filter') return message
  return `${message}. In a query, use filter.FIELD=VALUE with one of: ${membersOf(issue)}`
}

function membersOf({ inst }: Issue): string {
  const shape = typeof inst === 'object' && 'shape' in inst ? Object(inst.shape) : {}
  return Object.keys(shape).join(', ') || 'none'
}

function tooSmall({ origin, minimum, inclusive }: Extract<Issue, { code: 'too_small' }>): string | undefined {
  if (origin === 'string') return `String must contain at least ${String(minimum)} character(s)`
  if (origin === 'array') return `Array must contain at least ${String(minimum)} element(s)`
  const bound = inclusive === false ? 'greater than' : 'greater than or equal to'
  return isNumber(origin) ? `Number must be ${bound} ${String(minimum)}` : undefined
}

function tooBig({ origin, maximum, inclusive }: Extract<Issue, { code: 'too_big' }>): string | undefined {
  if (origin === 'string') return `String must contain at most ${String(maximum)} character(s)`
  if (origin === 'array') return `Array must contain at most ${String(maximum)} element(s)`
  const bound = inclusive === false ? 'less than' : 'less than or equal to'
  return isNumber(origin) ? `Number must be ${bound} ${String(maximum)}` : undefined
}

function isNumber(origin: string): boolean {
  return origin === 'number' || origin === 'int'
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isNaN(value) ? 'nan' : typeof value
}
