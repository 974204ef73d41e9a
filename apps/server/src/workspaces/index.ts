/** Workspaces, their members, and how people become members. */
export { acceptInvitation, joinWorkspace, previewInvitation } from '#workspaces/join.ts'
export {
  createEmailDomain,
  deleteEmailDomain,
  listEmailDomains,
  verifyEmailDomain,
  type ResolveTxt,
} from '#workspaces/email-domains.ts'
export { createInvitation, listInvitations, resendInvitation, revokeInvitation } from '#workspaces/invitations.ts'
export { deliverInvitation } from '#workspaces/invitation-mail.ts'
export { leaveWorkspace, listMembers, removeMember, transferOwnership, updateMember } from '#workspaces/members.ts'
export { createMemberships, type Memberships, personOf, type SignInLimits } from '#workspaces/membership.ts'
export { type ExportedTable, exportedTables, exportWorkspace, lineOf } from '#workspaces/export.ts'
export { endMemberships, soleWorkspacesOf } from '#workspaces/user-deletion.ts'
export { createWorkspace, listWorkspaces } from '#workspaces/user-workspaces.ts'
export {
  deleteDueWorkspaces,
  deleteWorkspace,
  getWorkspace,
  cancelWorkspaceDeletion,
  setSignInNetworks,
  updateWorkspace,
} from '#workspaces/settings.ts'
export { getProvisioning, updateProvisioning } from '#workspaces/provisioning/settings.ts'
export {
  createProvisioningToken,
  deleteProvisioningToken,
  ownerOfProvisioningToken,
} from '#workspaces/provisioning/tokens.ts'
export * as scim from '#workspaces/provisioning/index.ts'
export {
  type SignInService,
  deleteSignInProvider,
  getSignInProvider,
  setSignInProvider,
} from '#workspaces/sign-in/provider.ts'
export { findSignInProvider, organizations } from '#workspaces/sign-in/organizations.ts'
export { createSingleSignOn, deleteExpiredSignIns, type Redirect } from '#workspaces/sign-in/single-sign-on.ts'
