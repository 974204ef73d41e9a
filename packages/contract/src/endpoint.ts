/** One call of the API as a value: the server routes by it, the portal calls it, the OpenAPI document is made of it. */
import type { z } from 'zod'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Endpoint<Input extends z.ZodObject = z.ZodObject, Result extends z.ZodType = z.ZodType> {
  readonly method: Method
  /** Path with `:name` parameters, each of which is a member of `input`. */
  readonly path: `/v1/${string}`
  /** Title in the API reference. */
  readonly summary: string
  /** What the summary leaves out, in Markdown. */
  readonly description?: string
  /** An `Idempotency-Key` header may come with it: the same key again gives the first answer and does nothing. */
  readonly takesKey?: true
  /**
   * Everything the caller may send, flat: path parameters by their name, then the query
   * (GET, DELETE; `filter` is nested and travels dotted) or the JSON body (POST, PUT, PATCH).
   */
  readonly input: Input
  readonly result: Result
}

export type InputOf<E> = E extends Endpoint<infer Input> ? z.input<Input> : never
export type ParsedInputOf<E> = E extends Endpoint<infer Input> ? z.output<Input> : never
export type ResultOf<E> = E extends Endpoint<z.ZodObject, infer Result> ? z.output<Result> : never

/** Names a call. It changes nothing; it lets the compiler see input and result together. */
export function endpoint<Input extends z.ZodObject, Result extends z.ZodType>(
  call: Endpoint<Input, Result>,
): Endpoint<Input, Result> {
  return call
}

/** Names of the `:parameters` of a path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
}

/** True where the input travels in the query and not in a JSON body. */
export function hasQuery(method: Method): boolean {
  return method === 'GET' || method === 'DELETE'
}
