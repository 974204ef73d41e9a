/** Administration of the installation: accounts, workspaces, background work, and its health. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { Feed } from '#insights.ts'
import { Empty, Id, NetworkChange, NextPage, Page, Timestamp } from '#primitives.ts'

/** A newer release that the operator has downloaded. */
const AvailableRelease = z.object({ version: z.string(), file: z.string() })

export const Installation = z.object({
  version: z.string(),
  nodeVersion: z.string(),
  databaseVersion: z.string(),
  /** Absent unless the folder of `GLACIS_RELEASES` contains a newer release. */
  update: z.optional(AvailableRelease),
  usage: z.object({
    accounts: z.int(),
    workspaces: z.int(),
    targets: z.int(),
    hosts: z.int(),
    scans: z.int(),
    databaseBytes: z.number(),
  }),
  /** URL of the external identity service; absent if Glacis manages the accounts itself. */
  identityUrl: z.optional(z.string()),
  /** Whether email is sent; otherwise it is written to files. */
  sendsEmail: z.boolean(),
  /** Networks from which users can sign in; empty for all. */
  signInNetworks: z.array(z.string()),
})
export type Installation = z.infer<typeof Installation>

export const getInstallation = endpoint({
  method: 'GET',
  path: '/v1/installation',
  summary: 'Get the installation',
  description:
    'Version, usage, and settings of the whole installation. For installation administrators, like all calls here.',
  input: z.object({}),
  result: z.object({ installation: Installation }),
})

export const setInstallationNetworks = endpoint({
  method: 'PUT',
  path: '/v1/installation/sign-in-networks',
  summary: 'Limit sign-in to certain networks',
  description:
    'Applies to all users on their next request. API tokens and agents have their own networks. Rejected with the reason `OWN_ADDRESS_EXCLUDED` if you would lose access, unless `excludesYou` is set.',
  input: z.strictObject(NetworkChange),
  result: z.object({ installation: Installation }),
})

export const Account = z.object({
  /** Identity ID. */
  id: z.string(),
  name: z.string(),
  email: z.string(),
  isVerified: z.boolean(),
  state: z.enum(['STATE_ACTIVE', 'STATE_DISABLED']),
  isAdministrator: z.boolean(),
  /** The account that makes the request. */
  isYou: z.boolean(),
  /** Names of the workspaces it is a member of. */
  workspaces: z.array(z.string()),
  createTime: Timestamp,
  /** Absent if it has not signed in within the last 30 days. */
  lastSignInTime: z.optional(Timestamp),
})
export type Account = z.infer<typeof Account>

export const listAccounts = endpoint({
  method: 'GET',
  path: '/v1/installation/accounts',
  summary: 'List accounts',
  description: 'All accounts, oldest first. Rejected with 400 if an external identity service manages them.',
  input: z.object({ ...Page, query: z.optional(z.string().check(z.maxLength(256))) }),
  result: z.object({ accounts: z.array(Account), ...NextPage }),
})
export const setAccountState = endpoint({
  method: 'PUT',
  path: '/v1/installation/accounts/:id/state',
  summary: 'Disable or enable an account',
  description: "Disabling ends all of the account's sessions immediately. You cannot disable your own account.",
  input: z.strictObject({ id: Id, state: Account.shape.state }),
  result: z.object({ account: Account }),
})

export const WorkspaceUsage = z.object({
  id: Id,
  name: z.string(),
  /** Email addresses of its owners. */
  owners: z.array(z.string()),
  members: z.int(),
  targets: z.int(),
  hosts: z.int(),
  createTime: Timestamp,
  /** The last request of a member, accurate to the hour. */
  lastActiveTime: z.optional(Timestamp),
  /** When it will be deleted, if its deletion is scheduled. */
  deleteTime: z.optional(Timestamp),
})
export type WorkspaceUsage = z.infer<typeof WorkspaceUsage>

export const listAllWorkspaces = endpoint({
  method: 'GET',
  path: '/v1/installation/workspaces',
  summary: 'List all workspaces',
  description: 'All workspaces, oldest first, without their contents.',
  input: z.object({ ...Page }),
  result: z.object({ workspaces: z.array(WorkspaceUsage), ...NextPage }),
})

export const Queue = z.object({
  name: z.string(),
  /** Jobs that could start now. */
  waiting: z.int(),
  active: z.int(),
  /** Jobs that failed in the last hour. */
  failed: z.int(),
  /** How long the longest-waiting job has been ready to start, in seconds. */
  waitSeconds: z.number(),
})
export type Queue = z.infer<typeof Queue>

export const FailedJob = z.object({
  id: Id,
  queue: z.string(),
  /** Number of attempts. */
  attempts: z.int(),
  error: z.string(),
  failTime: Timestamp,
})
export type FailedJob = z.infer<typeof FailedJob>

export const listQueues = endpoint({
  method: 'GET',
  path: '/v1/installation/queues',
  summary: 'List job queues',
  description: 'All queues, and the jobs that failed most recently. Failed jobs are kept for up to an hour.',
  input: z.object({}),
  result: z.object({ queues: z.array(Queue), failedJobs: z.array(FailedJob) }),
})
export const retryJob = endpoint({
  method: 'POST',
  path: '/v1/installation/jobs/:id/retry',
  summary: 'Retry a failed job',
  input: z.strictObject({ id: Id }),
  result: Empty,
})

export const sendTestEmail = endpoint({
  method: 'POST',
  path: '/v1/installation/test-email',
  summary: 'Send a test email',
  description: 'Sends an email to your own address and waits for the SMTP server.',
  input: z.strictObject({}),
  result: z.object({
    to: z.string(),
    /** Why the SMTP server rejected the email; absent if it was accepted. */
    problem: z.optional(z.string()),
  }),
})

export const HealthCheck = z.object({
  name: z.string(),
  level: z.enum(['LEVEL_OK', 'LEVEL_WARNING', 'LEVEL_ERROR']),
  /** The result and, if there is a problem, how to fix it. */
  text: z.string(),
})
export type HealthCheck = z.infer<typeof HealthCheck>

export const checkInstallation = endpoint({
  method: 'GET',
  path: '/v1/installation/checks',
  summary: 'Check the health of the installation',
  description: 'The checks of `glacis doctor` that apply to a running server.',
  input: z.object({}),
  result: z.object({ checks: z.array(HealthCheck) }),
})

export const listInstallationFeeds = endpoint({
  method: 'GET',
  path: '/v1/installation/feeds',
  summary: "List the installation's feeds",
  description: 'All feeds, which the workspaces share. For administrators who are not members of a workspace.',
  input: z.object({}),
  result: z.object({ feeds: z.array(Feed) }),
})
