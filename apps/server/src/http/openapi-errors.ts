/** The error responses of the OpenAPI document, shared by all operations. */
import { type Endpoint, hasQuery } from '@glacis/contract/endpoint'
import type { ApiErrorBody } from '@glacis/contract/primitives'

interface ErrorResponse {
  /** Name in `components.responses`. */
  readonly name: string
  readonly description: string
  readonly example: ApiErrorBody
  /** Which operations can return it; all if absent. */
  readonly appliesTo?: (call: Pick<Endpoint, 'method' | 'path'>) => boolean
}

const type = (name: string) => `type.googleapis.com/google.rpc.${name}`
const hasBody = ({ method }: Pick<Endpoint, 'method'>) => !hasQuery(method)

const errors: Readonly<Record<string, ErrorResponse>> = {
  '400': {
    name: 'BadRequest',
    description: 'The request is invalid; `details` names the fields.',
    example: {
      code: 3,
      message: "address: 'foo bar' contains a space",
      details: [
        {
          '@type': type('BadRequest'),
          fieldViolations: [{ field: 'address', description: "'foo bar' contains a space" }],
        },
      ],
    },
  },
  '401': {
    name: 'Unauthenticated',
    description: 'The session or token is missing or invalid.',
    example: { code: 16, message: 'Authentication required' },
  },
  '403': {
    name: 'Forbidden',
    description:
      'The role does not allow the call, the API token lacks the required scope, or the request came from another origin or network.',
    example: { code: 7, message: 'This API token lacks the scope SCOPE_WRITE' },
  },
  '404': {
    name: 'NotFound',
    description: 'The workspace has no such resource, or you are not a member of the workspace.',
    example: { code: 5, message: 'No target has the ID 0199c0de-7a10-7c3e-9f00-5b1e6a2d4c01' },
  },
  '409': {
    name: 'Conflict',
    description: 'The request conflicts with the current state; `details` names the conflicting resource.',
    example: {
      code: 10,
      message: 'A scan of this target is already active. Wait for it or cancel it',
      details: [{ '@type': type('ErrorInfo'), metadata: { scanId: '0199c0de-7a10-7c3e-9f00-5b1e6a2d4c02' } }],
    },
    appliesTo: ({ method }) => method !== 'GET',
  },
  '413': {
    name: 'BodyTooLarge',
    description: 'The body exceeds 1 MB.',
    example: { code: 3, message: 'Request body is too large' },
    appliesTo: hasBody,
  },
  '414': {
    name: 'PathTooLong',
    description: 'A path parameter is longer than any ID.',
    example: { code: 3, message: 'A path parameter is too long' },
    appliesTo: ({ path }) => path.includes(':'),
  },
  '415': {
    name: 'UnsupportedMediaType',
    description: 'The body is not JSON, or is compressed.',
    example: { code: 3, message: 'Content-Encoding gzip is not supported; send the body uncompressed' },
    appliesTo: hasBody,
  },
  '431': {
    name: 'HeadersTooLarge',
    description: 'The URL and headers exceed 16 KB.',
    example: { code: 3, message: 'The URL and headers are too long' },
  },
  '429': {
    name: 'TooManyRequests',
    description:
      'A rate limit is exceeded: try again after `Retry-After` seconds. Or a quota of the plan is exceeded, without this header.',
    example: { code: 8, message: 'Rate limit exceeded, retry in 1 minute' },
  },
  '503': {
    name: 'Unavailable',
    description: 'The database is not available. Try again after `Retry-After` seconds.',
    example: { code: 14, message: 'The database is unavailable. Try again in a moment' },
  },
}

/** `components.responses` of the document. */
export function errorResponses() {
  const schema = { $ref: '#/components/schemas/ApiError' }
  return Object.fromEntries(
    Object.values(errors).map(({ name, description, example }) => [
      name,
      { description, content: { 'application/json': { schema, example } } },
    ]),
  )
}

/** References to the error responses that a call can return, by status. */
export function errorsOf(call: Pick<Endpoint, 'method' | 'path'>) {
  return Object.fromEntries(
    Object.entries(errors)
      .filter(([, { appliesTo }]) => appliesTo?.(call) ?? true)
      .map(([status, { name }]) => [status, { $ref: `#/components/responses/${name}` }]),
  )
}
