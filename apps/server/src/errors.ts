/** Errors that domain functions throw to reject a request. `http/errors.ts` maps them to HTTP responses. */

import { isDeepStrictEqual } from 'node:util'
import { type ErrorReason, errorReasons } from '@glacis/contract/role'

export type ApiErrorCode =
  | 'not_found'
  | 'conflict'
  | 'invalid'
  | 'precondition'
  | 'quota_exceeded'
  | 'unauthenticated'
  | 'forbidden'
  /** Temporary; the caller can retry later. */
  | 'unavailable'

export interface FieldViolation {
  /** Dotted path, such as `schedule.period`. */
  readonly field: string
  readonly description: string
}

export class ApiError extends Error {
  readonly code: ApiErrorCode
  /** For `invalid`: the invalid fields. */
  readonly violations: readonly FieldViolation[]
  /** Machine-readable details, such as the ID of the conflicting scan. */
  readonly metadata: Readonly<Record<string, string>>
  /** Why, for clients that react to it; stable. */
  readonly reason: ErrorReason | null
  /** For `quota_exceeded`: the quota and its usage. */
  readonly quota: { readonly subject: string; readonly description: string } | null
  /** When the same request can succeed; null if that isn't a matter of time. */
  readonly retryAfterSeconds: number | null
  constructor(
    code: ApiErrorCode,
    message: string,
    options: ErrorOptions & {
      violations?: readonly FieldViolation[]
      metadata?: Readonly<Record<string, string>>
      reason?: ErrorReason
      quota?: { readonly subject: string; readonly description: string }
      retryAfterSeconds?: number
    } = {},
  ) {
    super(message, options)
    this.name = 'ApiError'
    this.code = code
    this.violations = options.violations ?? []
    this.metadata = options.metadata ?? {}
    this.reason = options.reason ?? null
    this.quota = options.quota ?? null
    this.retryAfterSeconds = options.retryAfterSeconds ?? null
  }
}

export function notFound(noun: string, id: string): ApiError {
  return new ApiError('not_found', `No ${noun} has the ID ${id}`)
}

export function invalid(field: string, description: string): ApiError {
  return new ApiError('invalid', description, { violations: [{ field, description }] })
}

/** An item that a batch call skipped, and why; `code` is a gRPC status code. */
export interface SkippedItem {
  readonly id: string
  readonly code: number
  readonly message: string
}

/** gRPC status codes (google.rpc.Code). */
export const grpcCodes: Readonly<Record<ApiErrorCode, number>> = {
  invalid: 3,
  precondition: 9,
  unauthenticated: 16,
  forbidden: 7,
  not_found: 5,
  conflict: 10,
  quota_exceeded: 8,
  unavailable: 14,
}

/** Reports an error as the reason a batch call skipped an item. */
export function skip(id: string, { code, message }: ApiError): SkippedItem {
  return { id, code: grpcCodes[code], message }
}

/**
 * Picks the fields of `values` that an update mask names.
 *
 * @throws ApiError `invalid` for a path that is none of `allowed`, or whose value is missing
 */
export function masked<T extends object, Name extends keyof T & string>(
  values: T,
  paths: readonly string[],
  allowed: readonly Name[],
): Partial<Pick<T, Name>> {
  const unknown = paths.find((path) => !allowed.some((name) => name === path))
  if (unknown !== undefined) throw unchangeable(unknown, allowed)
  const missing = paths.find((path) => !(path in values))
  if (missing !== undefined) throw invalid(missing, `updateMask includes '${missing}', but the body doesn't contain it`)
  const named = allowed.filter((name) => paths.includes(name)).map((name) => [name, values[name]])
  return Object.fromEntries(named) as Partial<Pick<T, Name>> // members of `values` under their own names
}

/**
 * Compares the settings that a request replaces with the current ones, which the caller has locked.
 *
 * @param replaced undefined to replace any
 * @throws ApiError `conflict`
 */
export function requireUnchanged(replaced: unknown, current: unknown): void {
  if (replaced === undefined || isDeepStrictEqual(replaced, current)) return
  throw new ApiError(
    'conflict',
    'Someone else changed these settings in the meantime. Reload the page to see them, then repeat your change',
    { reason: errorReasons.settingsChanged },
  )
}

/** For a path of an update mask. */
export function unchangeable(path: string, allowed: readonly string[]): ApiError {
  return invalid('updateMask.paths', `'${path}' can't be changed. Fields that can be changed: ${allowed.join(', ')}`)
}
