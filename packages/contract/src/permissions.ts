/**
 * The permissions of each role: one line per call of the API. The server enforces this table in one place, the portal
 * disables what it doesn't allow, and docs/roles.md is generated from it.
 */
import type * as access from '#access.ts'
import type * as subscription from '#subscription.ts'
import type * as agent from '#agent.ts'
import type * as channel from '#channel.ts'
import type * as host from '#host.ts'
import type * as insights from '#insights.ts'
import type * as installation from '#installation.ts'
import type * as invitation from '#invitation.ts'
import type * as issue from '#issue.ts'
import type * as product from '#product.ts'
import type * as provisioning from '#provisioning.ts'
import type * as scan from '#scan.ts'
import type * as search from '#search.ts'
import type * as signInProvider from '#sign-in-provider.ts'
import type * as tag from '#tag.ts'
import type * as target from '#target.ts'
import type * as triage from '#triage.ts'
import type * as view from '#view.ts'
import type * as workspace from '#workspace.ts'
import type { TokenScope } from '#access.ts'
import { type Role, roles } from '#role.ts'

type EndpointsOf<Module> = {
  [Name in keyof Module]: Module[Name] extends { method: string; path: `/v1/${string}`; result: object } ? Name : never
}[keyof Module]
type ModuleCall =
  | EndpointsOf<typeof access>
  | EndpointsOf<typeof subscription>
  | EndpointsOf<typeof agent>
  | EndpointsOf<typeof channel>
  | EndpointsOf<typeof host>
  | EndpointsOf<typeof insights>
  | EndpointsOf<typeof installation>
  | EndpointsOf<typeof invitation>
  | EndpointsOf<typeof issue>
  | EndpointsOf<typeof product>
  | EndpointsOf<typeof provisioning>
  | EndpointsOf<typeof scan>
  | EndpointsOf<typeof search>
  | EndpointsOf<typeof signInProvider>
  | EndpointsOf<typeof tag>
  | EndpointsOf<typeof target>
  | EndpointsOf<typeof triage>
  | EndpointsOf<typeof view>
  | EndpointsOf<typeof workspace>
/** Calls that respond with a file or a stream. */
type FileCall =
  | 'getScanReport'
  | 'exportIssues'
  | 'exportProducts'
  | 'exportAuditEvents'
  | 'exportWorkspace'
  | 'streamEvents'
/** The name of a call, which is its operation ID in the OpenAPI document. */
export type CallName = ModuleCall | FileCall

export interface Permission {
  /** The roles that may make the call. Null for calls that don't depend on a membership. */
  readonly roles: readonly Role[] | null
  /**
   * The scope that an API token needs besides its role; `session` if no token may make the call, `installation` if only
   * the session of an installation administrator may, and `none` if it needs neither session nor token.
   */
  readonly scope: TokenScope | 'session' | 'installation' | 'none'
}

const everyone: readonly Role[] = roles
const editors: readonly Role[] = ['owner', 'admin', 'analyst']
const admins: readonly Role[] = ['owner', 'admin']
const auditors: readonly Role[] = ['owner', 'admin', 'auditor']

const read = { roles: everyone, scope: 'SCOPE_READ' } as const
const edit = { roles: editors, scope: 'SCOPE_WRITE' } as const
const runScans = { roles: editors, scope: 'SCOPE_SCAN' } as const
const administer = { roles: admins, scope: 'session' } as const
const manageAgents = { roles: admins, scope: 'SCOPE_WRITE' } as const
const own = { roles: ['owner'], scope: 'session' } as const
const audit = { roles: auditors, scope: 'SCOPE_READ' } as const
/** Members of any role, about themselves. */
const personal = { roles: everyone, scope: 'session' } as const
/** Signed-in users, members or not. */
const signedIn = { roles: null, scope: 'session' } as const

/** Administrators of the installation, members of a workspace or not. */
const administerInstallation = { roles: null, scope: 'installation' } as const
/** Visitors without a session. */
const anyone = { roles: null, scope: 'none' } as const

export const permissions: Readonly<Record<CallName, Permission>> = {
  listTargets: read,
  getTarget: read,
  createTarget: edit,
  updateTarget: edit,
  deleteTarget: edit,
  changeTargets: edit,
  deleteTargets: edit,
  // Reads only; a POST because the input can be too long for a URL.
  parseTargets: read,
  listTags: read,
  createTag: edit,
  updateTag: edit,
  deleteTag: edit,

  listAgents: read,
  getAgent: read,
  createAgent: manageAgents,
  updateAgent: manageAgents,
  deleteAgent: manageAgents,
  rotateAgentToken: manageAgents,
  getAgentInstall: manageAgents,
  listAgentConnections: read,
  listAgentJobs: read,
  getAgentInventory: read,
  listAgentPackages: read,

  listHosts: read,
  getHost: read,
  updateHost: edit,
  mergeHosts: edit,
  splitHost: edit,
  hostTimeline: read,
  listProducts: read,
  getProduct: read,
  watchProduct: edit,
  updateProduct: edit,
  deleteProduct: edit,
  listProductThreats: read,
  searchSoftware: read,
  exportProducts: read,

  listScans: read,
  getScan: read,
  startScan: runScans,
  startScans: runScans,
  cancelScan: runScans,
  resumeScan: runScans,
  listScanHosts: read,
  diffScan: read,
  listScanEvents: read,
  getScanReport: read,

  listIssues: read,
  getIssue: read,
  setIssueStatus: edit,
  setHostStatus: edit,
  setStatusOfMany: edit,
  updateIssue: edit,
  updateManyIssues: edit,
  retestIssue: runScans,
  listComments: read,
  createComment: edit,
  deleteComment: edit,
  listEvidence: read,
  exportIssues: read,

  listViews: read,
  createView: edit,
  updateView: edit,
  deleteView: edit,
  search: read,

  issuesBySeverity: read,
  issuesByStatus: read,
  scansOverTime: read,
  affectedHostsOverTime: read,
  statsSummary: read,
  getEcosystem: read,
  listFeeds: read,
  checkFeed: edit,
  getOnboarding: read,
  streamEvents: read,

  getSubscription: read,
  listPlans: read,
  previewSubscription: own,
  changeSubscription: own,

  listChannels: read,
  createChannel: administer,
  previewChannel: administer,
  updateChannel: administer,
  deleteChannel: administer,
  rotateChannelSecret: administer,
  testChannel: administer,
  listDeliveries: read,
  redeliver: administer,

  listApiTokens: { roles: everyone, scope: 'session' },
  createApiToken: { roles: editors, scope: 'session' },
  deleteApiToken: { roles: editors, scope: 'session' },
  listAuditEvents: audit,
  exportAuditEvents: audit,

  listWorkspaces: signedIn,
  createWorkspace: signedIn,
  joinWorkspace: signedIn,
  previewInvitation: signedIn,
  acceptInvitation: signedIn,
  leaveWorkspace: personal,
  getWorkspace: read,
  updateWorkspace: administer,
  setSignInNetworks: administer,
  deleteWorkspace: own,
  cancelWorkspaceDeletion: own,
  transferOwnership: own,
  exportWorkspace: own,
  listMembers: read,
  updateMember: administer,
  removeMember: administer,
  listInvitations: { roles: auditors, scope: 'session' },
  createInvitation: administer,
  resendInvitation: administer,
  revokeInvitation: administer,
  listEmailDomains: { roles: auditors, scope: 'session' },
  createEmailDomain: administer,
  verifyEmailDomain: administer,
  deleteEmailDomain: administer,
  getSignInProvider: { roles: auditors, scope: 'session' },
  setSignInProvider: administer,
  deleteSignInProvider: administer,
  findSignInProvider: anyone,
  getProvisioning: { roles: auditors, scope: 'session' },
  updateProvisioning: administer,
  createProvisioningToken: administer,
  deleteProvisioningToken: administer,

  getInstallation: administerInstallation,
  setInstallationNetworks: administerInstallation,
  listAccounts: administerInstallation,
  setAccountState: administerInstallation,
  listAllWorkspaces: administerInstallation,
  listQueues: administerInstallation,
  retryJob: administerInstallation,
  sendTestEmail: administerInstallation,
  checkInstallation: administerInstallation,
  listInstallationFeeds: administerInstallation,
}

/** The roles that may change the `permissions` of a target, which allow intrusive checks. */
export const intrusiveCheckRoles: readonly Role[] = admins

/** Whether a role may make a call. */
export function isAllowed(role: Role, call: CallName): boolean {
  return permissions[call].roles?.includes(role) ?? true
}

/** Whether `limit` may do everything that `role` may do. */
export function isWithin(role: Role, limit: Role): boolean {
  return Object.values(permissions).every(({ roles: allowed }) => !allowed?.includes(role) || allowed.includes(limit))
}

/** The message that explains why a role can't make a call. */
export function roleMessage(role: Role, call: CallName): string {
  const allowed = permissions[call].roles ?? roles
  const names = new Intl.ListFormat('en', { type: 'disjunction' }).format(allowed)
  return `Your role, ${role}, doesn't allow this. Ask an ${names} of the workspace`
}
