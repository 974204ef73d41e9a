/** Refusals: what a verb throws when it will not do what was asked. `http/errors.ts` maps them to answers. */

export type RefusalCode =
  | 'not_found'
  | 'conflict'
  | 'invalid'
  | 'precondition'
  | 'quota_exceeded'
  | 'unauthenticated'
  | 'forbidden'

export interface FieldViolation {
  /** Path of the member, dotted, as in `schedule.period`. */
  readonly field: string
  readonly description: string
}

export class Refusal extends Error {
  readonly code: RefusalCode
  /** For `invalid`: which members, and what is wrong with each. */
  readonly violations: readonly FieldViolation[]
  /** Facts a program may act on, such as the id of the scan that stands in the way. */
  readonly metadata: Readonly<Record<string, string>>
  /** For `quota_exceeded`: which quota, and how far it is used. */
  readonly quota: { readonly subject: string; readonly description: string } | null
  constructor(
    code: RefusalCode,
    message: string,
    options: ErrorOptions & {
      violations?: readonly FieldViolation[]
      metadata?: Readonly<Record<string, string>>
      quota?: { readonly subject: string; readonly description: string }
    } = {},
  ) {
    super(message, options)
    this.name = 'Refusal'
    this.code = code
    this.violations = options.violations ?? []
    this.metadata = options.metadata ?? {}
    this.quota = options.quota ?? null
  }
}

export function notFound(noun: string, id: string): Refusal {
  return new Refusal('not_found', `There is no ${noun} ${id}`)
}

export function invalid(field: string, description: string): Refusal {
  return new Refusal('invalid', description, { violations: [{ field, description }] })
}
