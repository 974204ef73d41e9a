/** Refusals: what a verb throws when it will not do what was asked. `http/errors.ts` maps them to answers. */

export type RefusalCode =
  | 'not_found'
  | 'conflict'
  | 'invalid'
  | 'precondition'
  | 'quota_exceeded'
  | 'unauthenticated'
  | 'forbidden'
  /** Not now; whoever asks again later may have it. */
  | 'unavailable'

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

/** One of many that was left out, and what stood in the way; `code` is that of gRPC. */
export interface SkippedItem {
  readonly id: string
  readonly code: number
  readonly message: string
}

/** The codes of gRPC (google.rpc.Code). */
export const grpcCodes: Readonly<Record<RefusalCode, number>> = {
  invalid: 3,
  precondition: 9,
  unauthenticated: 16,
  forbidden: 7,
  not_found: 5,
  conflict: 10,
  quota_exceeded: 8,
  unavailable: 14,
}

/** A refusal as the reason why one of many was left out. */
export function skip(id: string, { code, message }: Refusal): SkippedItem {
  return { id, code: grpcCodes[code], message }
}

/**
 * The members of `values` that the paths of an update mask name.
 *
 * @throws Refusal `invalid` for a path that is none of `known`, or whose value is missing
 */
export function masked<T extends object, Name extends keyof T & string>(
  values: T,
  paths: readonly string[],
  known: readonly Name[],
): Partial<Pick<T, Name>> {
  const unknown = paths.find((path) => !known.some((name) => name === path))
  if (unknown !== undefined) {
    throw invalid('updateMask.paths', `'${unknown}' cannot be changed; these can: ${known.join(', ')}`)
  }
  const missing = paths.find((path) => !(path in values))
  if (missing !== undefined) throw invalid(missing, `updateMask names '${missing}', but the body does not hold it`)
  const named = known.filter((name) => paths.includes(name)).map((name) => [name, values[name]])
  return Object.fromEntries(named) as Partial<Pick<T, Name>> // members of `values` under their own names
}
