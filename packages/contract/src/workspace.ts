/** Workspaces: the tenants that own all data. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { ReceivedInvitation } from '#invitation.ts'
import { Empty, Id, Name, NetworkChange, Timestamp, UpdateMask } from '#primitives.ts'
import { Role } from '#role.ts'

/** A workspace of the signed-in user. */
export const WorkspaceSummary = z.object({
  id: Id,
  name: z.string(),
  role: Role,
  /** Used for requests without the `Glacis-Workspace` header. */
  isDefault: z.boolean(),
})
export type WorkspaceSummary = z.infer<typeof WorkspaceSummary>

/** A workspace that the user can join because of their email domain. */
export const JoinableWorkspace = z.object({ id: Id, name: z.string(), domain: z.string(), role: Role })
export type JoinableWorkspace = z.infer<typeof JoinableWorkspace>

export const listWorkspaces = endpoint({
  method: 'GET',
  path: '/v1/workspaces',
  summary: 'List your workspaces',
  description: 'The workspaces you are a member of, most recently used first, and those you can join.',
  input: z.object({}),
  result: z.object({
    workspaces: z.array(WorkspaceSummary),
    /** Pending invitations to your verified email address. */
    invitations: z.array(ReceivedInvitation),
    /** Workspaces that you can join because of your verified email domain. */
    joinable: z.array(JoinableWorkspace),
    /** You administer this installation. */
    isAdministrator: z.boolean(),
  }),
})
export const createWorkspace = endpoint({
  method: 'POST',
  path: '/v1/workspaces',
  summary: 'Create a workspace',
  description: 'You become its owner. A user can own at most 10 workspaces.',
  input: z.strictObject({ workspace: z.strictObject({ name: Name }) }),
  result: z.object({ workspace: WorkspaceSummary }),
})
export const joinWorkspace = endpoint({
  method: 'POST',
  path: '/v1/workspaces/:id/join',
  summary: 'Join a workspace by email domain',
  description: 'Requires a verified email address in a domain that the workspace has verified.',
  input: z.strictObject({ id: Id }),
  result: z.object({ workspace: WorkspaceSummary }),
})

/** The largest retention, in days. */
export const retentionMax = 3650
const days = z.int().check(z.minimum(1), z.maximum(retentionMax))
/** How long data is kept, in days; null for the installation's setting. */
export const Retention = z.object({
  /** Ended scans and history. */
  historyDays: z.nullable(days),
  /** Evidence of resolved risks. */
  evidenceDays: z.nullable(days),
  /** The audit log; null to keep it forever. */
  auditDays: z.nullable(days),
})
export type Retention = z.infer<typeof Retention>
const newRetention = z.strictObject(Retention.shape)

export const Workspace = z.object({
  id: Id,
  name: z.string(),
  /** IANA time zone of charts and reports. */
  timeZone: z.string(),
  retention: Retention,
  /** Networks from which members can use the workspace; empty for all. */
  signInNetworks: z.array(z.string()),
  createTime: Timestamp,
  /** When the workspace will be deleted; absent unless its deletion is scheduled. */
  deleteTime: z.optional(Timestamp),
  /** The role of the user or token that makes the request. */
  role: Role,
})
export type Workspace = z.infer<typeof Workspace>

export const getWorkspace = endpoint({
  method: 'GET',
  path: '/v1/workspace',
  summary: 'Get the workspace',
  description: 'The workspace selected by the header `Glacis-Workspace`.',
  input: z.object({}),
  result: z.object({ workspace: Workspace }),
})
export const updateWorkspace = endpoint({
  method: 'PATCH',
  path: '/v1/workspace',
  summary: 'Update the workspace',
  description: 'Changes only the fields named in `updateMask.paths`.',
  input: z.strictObject({
    workspace: z.strictObject({
      name: z.optional(Name),
      timeZone: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
      retention: z.optional(newRetention),
    }),
    updateMask: UpdateMask,
    /** The current values of these fields. If one is different, the request is rejected with the reason `SETTINGS_CHANGED`. */
    replaces: z.optional(
      z.strictObject({
        name: z.optional(z.string()),
        timeZone: z.optional(z.string()),
        retention: z.optional(Retention),
      }),
    ),
  }),
  result: z.object({ workspace: Workspace }),
})
export const setSignInNetworks = endpoint({
  method: 'PUT',
  path: '/v1/workspace/sign-in-networks',
  summary: 'Limit the workspace to certain networks',
  description:
    'Applies to all members on their next request. API tokens and agents have their own networks. Rejected with the reason `OWN_ADDRESS_EXCLUDED` if you would lose access, unless `excludesYou` is set.',
  input: z.strictObject(NetworkChange),
  result: z.object({ workspace: Workspace }),
})
/** Days between scheduling the deletion of a workspace and the deletion. */
export const deletionGraceDays = 7
export const deleteWorkspace = endpoint({
  method: 'POST',
  path: '/v1/workspace/deletion',
  summary: 'Schedule the deletion of the workspace',
  description: `Deletes the workspace with all its data in ${deletionGraceDays} days. Owners can cancel it until then.`,
  input: z.strictObject({
    /** The exact name of the workspace, to confirm. */
    name: z.string().check(z.maxLength(200)),
  }),
  result: z.object({ workspace: Workspace }),
})
export const cancelWorkspaceDeletion = endpoint({
  method: 'DELETE',
  path: '/v1/workspace/deletion',
  summary: 'Cancel the deletion of the workspace',
  input: z.object({}),
  result: z.object({ workspace: Workspace }),
})

/** The identity ID of a member. */
const memberId = z.string().check(z.minLength(1), z.maxLength(200))

export const Member = z.object({
  /** Identity ID of the user, as in the assignee of an issue. */
  id: memberId,
  name: z.string(),
  email: z.string(),
  role: Role,
  joinTime: Timestamp,
  /** The last request, with an accuracy of an hour; absent before the first. */
  lastActiveTime: z.optional(Timestamp),
  /** This is the user who makes the request. */
  isYou: z.boolean(),
})
export type Member = z.infer<typeof Member>

export const listMembers = endpoint({
  method: 'GET',
  path: '/v1/members',
  summary: 'List members',
  description: 'All members of the workspace, by name.',
  input: z.object({}),
  result: z.object({ members: z.array(Member) }),
})
export const updateMember = endpoint({
  method: 'PATCH',
  path: '/v1/members/:id',
  summary: "Change a member's role",
  description:
    "Takes effect on the member's next request. Only owners can make someone an owner or change an owner's role.",
  input: z.strictObject({ id: memberId, role: Role }),
  result: z.object({ member: Member }),
})
export const removeMember = endpoint({
  method: 'DELETE',
  path: '/v1/members/:id',
  summary: 'Remove a member',
  description: "Ends the member's access to this workspace, including live streams and API tokens.",
  input: z.object({ id: memberId }),
  result: Empty,
})
export const transferOwnership = endpoint({
  method: 'POST',
  path: '/v1/workspace/transfer',
  summary: 'Transfer ownership of the workspace',
  description: 'The member becomes an owner and you become an admin.',
  input: z.strictObject({ memberId }),
  result: z.object({ members: z.array(Member) }),
})
export const leaveWorkspace = endpoint({
  method: 'POST',
  path: '/v1/workspace/leave',
  summary: 'Leave the workspace',
  description: 'Ends your membership and revokes your API tokens. The last owner must transfer ownership first.',
  input: z.strictObject({}),
  result: Empty,
})
