/** What every call may answer in place of its result. */
import { type Endpoint, hasQuery } from '@glacis/contract/endpoint'
import type { ApiError } from '@glacis/contract/primitives'
import type { Json } from '#http/openapi-schema.ts'

/** By status: when it comes. */
export const problems: Readonly<Record<string, string>> = {
  '400': 'The request is wrong; details name the members',
  '401': 'No valid session',
  '403': 'The API token may not do this, or the change did not come from our own pages',
  '404': 'There is no such thing in this account',
  '409': 'Something stands in the way; details name it',
  '413': 'The body is larger than a megabyte',
  '414': 'What stands in the address for an id is longer than any',
  '415': 'The body is not JSON, or is packed',
  '429': 'Too many requests, or a quota is used up',
  '503': 'The database does not answer; try again after Retry-After seconds',
}

const kind = (name: string) => `type.googleapis.com/google.rpc.${name}`
/** What each refusal looks like. */
export const errors: Readonly<Record<string, ApiError>> = {
  '400': {
    code: 3,
    message: "address: 'foo bar' contains a space",
    details: [
      {
        '@type': kind('BadRequest'),
        fieldViolations: [{ field: 'address', description: "'foo bar' contains a space" }],
      },
    ],
  },
  '401': { code: 16, message: 'Sign in to use this' },
  '403': { code: 7, message: 'Changes are accepted from our own pages only' },
  '404': { code: 5, message: 'There is no target 0199c0de-7a10-7c3e-9f00-5b1e6a2d4c01' },
  '409': {
    code: 10,
    message: 'A scan of this target is active; wait for it or cancel it',
    details: [{ '@type': kind('ErrorInfo'), metadata: { scanId: '0199c0de-7a10-7c3e-9f00-5b1e6a2d4c02' } }],
  },
  '413': { code: 3, message: 'Request body is too large' },
  '414': { code: 3, message: 'The address holds more than any id is long' },
  '415': { code: 3, message: 'Send the body as it is: gzip is not unpacked here' },
  '429': {
    code: 8,
    message: 'Target quota exhausted: 15 of 15 used',
    details: [{ '@type': kind('QuotaFailure'), violations: [{ subject: 'targets', description: '15 of 15' }] }],
  },
  '503': { code: 14, message: 'The database does not answer; try again shortly' },
}

/** What only some calls answer. */
const only: Readonly<Record<string, (call: Pick<Endpoint, 'method' | 'path'>) => boolean>> = {
  '409': ({ method }) => method !== 'GET',
  '413': ({ method }) => !hasQuery(method),
  '414': ({ path }) => path.includes(':'),
  '415': ({ method }) => !hasQuery(method),
}

/** The answers of the document for each of them that this call may get. */
export function refusals(call: Pick<Endpoint, 'method' | 'path'>): Json {
  const possible = Object.entries(problems).filter(([status]) => only[status]?.(call) ?? true)
  const entries = possible.map(([status, description]) => [
    status,
    {
      description,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: errors[status] } },
    },
  ])
  return Object.fromEntries(entries)
}
