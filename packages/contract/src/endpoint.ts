/** An API call as a value: the server routes it, the portal calls it, and the OpenAPI document is generated from it. */
import type { z } from 'zod/mini'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Endpoint<
  Input extends z.ZodMiniObject = z.ZodMiniObject,
  Result extends z.ZodMiniType = z.ZodMiniType,
> {
  readonly method: Method
  /** Path with `:name` parameters; each is a member of `input`. */
  readonly path: `/v1/${string}`
  /** Title in the API reference. */
  readonly summary: string
  /** Details beyond the summary, in Markdown. */
  readonly description?: string
  /** Accepts an `Idempotency-Key` header: repeating a key returns the first response without executing the call again. */
  readonly takesKey?: true
  /**
   * All input as one flat object: path parameters by name, then the query
   * (GET, DELETE; nested `filter` members are sent dotted) or the JSON body (POST, PUT, PATCH).
   */
  readonly input: Input
  readonly result: Result
}

export type InputOf<E> = E extends Endpoint<infer Input> ? z.input<Input> : never
export type ParsedInputOf<E> = E extends Endpoint<infer Input> ? z.output<Input> : never
export type ResultOf<E> = E extends Endpoint<z.ZodMiniObject, infer Result> ? z.output<Result> : never

/** Defines a call. Returns its argument; exists so that the compiler infers input and result together. */
export function endpoint<Input extends z.ZodMiniObject, Result extends z.ZodMiniType>(
  call: Endpoint<Input, Result>,
): Endpoint<Input, Result> {
  return call
}

/** The names of a path's `:parameters`, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
}

/** Whether the input is sent in the query rather than in a JSON body. */
export function hasQuery(method: Method): boolean {
  return method === 'GET' || method === 'DELETE'
}
