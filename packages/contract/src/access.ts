/** API tokens, for programs; and the trail of what everybody did. */
import { z } from 'zod'
import { endpoint } from '#endpoint.ts'
import { Empty, Id, Name, NextPage, Page, Timestamp } from '#primitives.ts'

/** `SCOPE_READ` reads; `SCOPE_SCAN` starts and cancels scans too; `SCOPE_WRITE` does all but tokens, channels and plans. */
export const TokenScope = z.enum(['SCOPE_READ', 'SCOPE_SCAN', 'SCOPE_WRITE'])
export type TokenScope = z.infer<typeof TokenScope>

/** Days that a token lives when nothing is said, and at most. */
export const tokenLife = { default: 90, most: 365 } as const

export const ApiToken = z.object({
  id: Id,
  name: z.string(),
  scopes: z.array(TokenScope),
  /** The first characters, to tell it by. */
  prefix: z.string(),
  /** The whole token. Present once, in the answer that makes it. */
  token: z.string().optional(),
  createTime: Timestamp,
  expireTime: Timestamp,
  lastUsedTime: Timestamp.optional(),
})
export type ApiToken = z.infer<typeof ApiToken>

export const listApiTokens = endpoint({
  method: 'GET',
  path: '/v1/api-tokens',
  summary: 'List API tokens',
  description: 'Newest first; revoked tokens are not listed.',
  input: z.object({}),
  result: z.object({ apiTokens: z.array(ApiToken) }),
})
export const createApiToken = endpoint({
  method: 'POST',
  path: '/v1/api-tokens',
  summary: 'Create an API token',
  description: 'The token is returned once, in this response.',
  input: z.strictObject({
    apiToken: z.strictObject({
      name: Name,
      scopes: z.array(TokenScope).min(1, 'Choose at least one scope').max(3),
      /** At most 365 days ahead; 90 days when absent. */
      expireTime: Timestamp.optional(),
    }),
  }),
  result: z.object({ apiToken: ApiToken }),
})
export const deleteApiToken = endpoint({
  method: 'DELETE',
  path: '/v1/api-tokens/:id',
  summary: 'Revoke an API token',
  description: 'The token stops working immediately.',
  input: z.object({ id: Id }),
  result: Empty,
})

export const AuditEvent = z.object({
  id: Id,
  time: Timestamp,
  actor: z.object({ kind: z.string(), name: z.string() }),
  /** Where the actor came from; empty for the system. */
  ip: z.string(),
  /** As `target.create` or `identity.sign-in`. */
  action: z.string(),
  resource: z.object({ kind: z.string(), id: z.string() }),
  detail: z.record(z.string(), z.unknown()),
})
export type AuditEvent = z.infer<typeof AuditEvent>

export const listAuditEvents = endpoint({
  method: 'GET',
  path: '/v1/audit-events',
  summary: 'List audit events',
  description: 'Who did what, when and from where, newest first. The audit trail is append-only.',
  input: z.object({
    ...Page,
    filter: z
      .strictObject({
        /** Name of the actor. */
        actorId: z.string().max(256).optional(),
        /** A kind, as `target`, or a kind and id, as `target/0198…`. */
        resource: z.string().max(256).optional(),
        action: z.string().max(64).optional(),
        after: Timestamp.optional(),
      })
      .optional(),
  }),
  result: z.object({ events: z.array(AuditEvent), ...NextPage }),
})
