/** API tokens and the audit log. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { Role } from '#role.ts'
import { AllowedNetworks, Empty, Id, Name, NextPage, Page, Timestamp } from '#primitives.ts'

/**
 * `SCOPE_READ` is read-only; `SCOPE_SCAN` adds scans and retests; `SCOPE_WRITE` adds all other changes that
 * don't need a session. Calls for tokens, channels, members, settings, and plans need one.
 */
export const TokenScope = z.enum(['SCOPE_READ', 'SCOPE_SCAN', 'SCOPE_WRITE'])
export type TokenScope = z.infer<typeof TokenScope>

/** Default and maximum lifetime of a token, in days. */
export const tokenLife = { default: 90, most: 365 } as const

export const ApiToken = z.object({
  id: Id,
  name: z.string(),
  scopes: z.array(TokenScope),
  /** Limits the token further; never more than the current role of the member who created it. */
  role: Role,
  /** Name of the member who created it. */
  createdBy: z.string(),
  /** Addresses and networks from which it can be used; empty for all. */
  allowedNetworks: z.array(z.string()),
  /** The first characters, for identification. */
  prefix: z.string(),
  /** The complete token. Present only in the response that creates it. */
  token: z.optional(z.string()),
  createTime: Timestamp,
  expireTime: Timestamp,
  lastUsedTime: z.optional(Timestamp),
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
      scopes: z.array(TokenScope).check(z.minLength(1, 'Choose at least one scope'), z.maxLength(3)),
      /** Default: your role. */
      role: z.optional(Role),
      /** Addresses or networks in CIDR notation. Default: all. */
      allowedNetworks: z.optional(AllowedNetworks),
      /** At most 365 days from now. Default: 90 days. */
      expireTime: z.optional(Timestamp),
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
  /** The ID is that of the member; absent for the system. */
  actor: z.object({ kind: z.string(), name: z.string(), id: z.optional(z.string()) }),
  /** IP address of the actor; empty for the system. */
  ip: z.string(),
  /** The browser or program of the actor. */
  userAgent: z.string(),
  /** Such as `target.create` or `identity.signed_in`. */
  action: z.string(),
  resource: z.object({ kind: z.string(), id: z.string() }),
  detail: z.record(z.string(), z.unknown()),
})
export type AuditEvent = z.infer<typeof AuditEvent>

export const AuditFilter = z.strictObject({
  /** Name or ID of the actor. */
  actorId: z.optional(z.string().check(z.maxLength(256))),
  /** A type such as `target`, or a type and ID such as `target/0198…`. */
  resource: z.optional(z.string().check(z.maxLength(256))),
  action: z.optional(z.string().check(z.maxLength(64))),
  after: z.optional(Timestamp),
  before: z.optional(Timestamp),
})
export type AuditFilter = z.infer<typeof AuditFilter>

export const listAuditEvents = endpoint({
  method: 'GET',
  path: '/v1/audit-events',
  summary: 'List audit events',
  description: 'Who did what, when, and from where, newest first. The audit log is append-only.',
  input: z.object({ ...Page, filter: z.optional(AuditFilter) }),
  result: z.object({ events: z.array(AuditEvent), ...NextPage }),
})
/** Query of `GET /v1/audit-events/export`, which returns the file itself. */
export const AuditExportQuery = z.strictObject({
  format: z._default(z.enum(['csv', 'jsonl']), 'csv'),
  filter: z.optional(AuditFilter),
})
export type AuditExportQuery = z.infer<typeof AuditExportQuery>
