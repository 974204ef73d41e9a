/** Queries and mutations of workspaces, members, invitations, and the audit log. */
import { listAuditEvents } from '@glacis/contract/access'
import type { InputOf } from '@glacis/contract/endpoint'
import {
  acceptInvitation,
  createEmailDomain,
  createInvitation,
  deleteEmailDomain,
  listEmailDomains,
  listInvitations,
  previewInvitation,
  resendInvitation,
  revokeInvitation,
  verifyEmailDomain,
} from '@glacis/contract/invitation'
import { isAllowed, type CallName } from '@glacis/contract/permissions'
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  joinWorkspace,
  cancelWorkspaceDeletion,
  leaveWorkspace,
  listMembers,
  listWorkspaces,
  removeMember,
  setSignInNetworks,
  transferOwnership,
  updateMember,
  updateWorkspace,
} from '@glacis/contract/workspace'
import { mutationOptions, type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { accessReasons, call } from '#api/call.ts'
import { ApiFailure } from '#api/failure.ts'
import { keyOf, pages, query } from '#api/query.ts'
import { roleLabels } from '#lib/role-labels.ts'
import { knownRole, setRole, useRole } from '#lib/role.ts'
import { chooseWorkspace, chosenWorkspace } from '#lib/workspace.ts'
import { addToast } from '#ui/toasts.tsx'

export function current() {
  return queryOptions({
    ...query(getWorkspace, {}),
    queryFn: async ({ signal }) => {
      const response = await call(getWorkspace, {}, { signal })
      const { name, role } = response.workspace
      const before = knownRole()
      setRole(role)
      // Without it, actions would disappear, and a dialog could close, for no visible reason.
      if (before !== undefined && before !== role)
        addToast('info', { title: 'Role changed', message: `Your role in ${name} is now ${roleLabels[role]}.` })
      return response
    },
  })
}

/** Workspaces of the signed-in user, and those they can join. */
export function mine() {
  return query(listWorkspaces, {})
}

export function members() {
  return query(listMembers, {})
}

export function invitations() {
  return query(listInvitations, {})
}

export function emailDomains() {
  return query(listEmailDomains, {})
}

/** The workspace and role that an invitation link grants. Fails with a reason if the invitation can't be accepted. */
export function preview(token: string) {
  return queryOptions({
    ...query(previewInvitation, { token }),
    queryFn: ({ signal }) => call(previewInvitation, { token }, { signal, isFailureShown: true }),
  })
}

/** The audit log, newest first. */
export function auditLog(filter: NonNullable<InputOf<typeof listAuditEvents>['filter']>) {
  return pages(keyOf(listAuditEvents, { filter }), (pageToken, options) =>
    call(listAuditEvents, { filter, pageSize: 20, pageToken }, options),
  )
}

/** False until the role is known, so that nothing appears that then disappears. */
export function useAllowed(name: CallName): boolean {
  const role = useRole()
  return role !== undefined && isAllowed(role, name)
}

/** Why the workspace can't be shown; undefined while it can. */
export function useAccessLost(): ApiFailure | undefined {
  const { error } = useQuery(current())
  if (!(error instanceof ApiFailure)) return undefined
  // A workspace that this user never belonged to, such as that of the browser's previous user.
  const isUnknown = error.status === 404 && chosenWorkspace() !== null
  return isUnknown || accessReasons.has(error.reason ?? '') ? error : undefined
}

/** Shows another workspace: nothing of the previous one may stay on screen or in the cache. */
export function switchTo(client: QueryClient, id: string): void {
  chooseWorkspace(id)
  client.clear()
  window.location.assign('/overview')
}

export const createMutation = mutationOptions({
  mutationFn: (name: string) => call(createWorkspace, { workspace: { name } }),
})

export const joinMutation = mutationOptions({ mutationFn: (id: string) => call(joinWorkspace, { id }) })

export const updateMutation = mutationOptions({
  mutationFn: (change: Omit<InputOf<typeof updateWorkspace>, 'updateMask'>) =>
    call(updateWorkspace, { ...change, updateMask: { paths: Object.keys(change.workspace) } }),
})

export async function saveNetworks(change: InputOf<typeof setSignInNetworks>): Promise<string[]> {
  return (await call(setSignInNetworks, change, { isFailureShown: true })).workspace.signInNetworks
}

export const deleteMutation = mutationOptions({ mutationFn: (name: string) => call(deleteWorkspace, { name }) })

export const cancelDeletionMutation = mutationOptions({ mutationFn: () => call(cancelWorkspaceDeletion, {}) })

export const leaveMutation = mutationOptions({ mutationFn: () => call(leaveWorkspace, {}) })

export const transferMutation = mutationOptions({
  mutationFn: (memberId: string) => call(transferOwnership, { memberId }),
})

export const changeRole = mutationOptions({
  mutationFn: (change: InputOf<typeof updateMember>) => call(updateMember, change),
})

export const removeMutation = mutationOptions({ mutationFn: (id: string) => call(removeMember, { id }) })

export const invite = mutationOptions({
  mutationFn: (invitation: InputOf<typeof createInvitation>['invitation']) =>
    call(createInvitation, { invitation }, { isFailureShown: true }),
})

export const resend = mutationOptions({ mutationFn: (id: string) => call(resendInvitation, { id }) })

export const revoke = mutationOptions({ mutationFn: (id: string) => call(revokeInvitation, { id }) })

export const accept = mutationOptions({
  mutationFn: (input: InputOf<typeof acceptInvitation>) => call(acceptInvitation, input),
})

export const addDomain = mutationOptions({
  mutationFn: (emailDomain: InputOf<typeof createEmailDomain>['emailDomain']) =>
    call(createEmailDomain, { emailDomain }, { isFailureShown: true }),
})

export const verifyDomain = mutationOptions({ mutationFn: (id: string) => call(verifyEmailDomain, { id }) })

export const removeDomain = mutationOptions({ mutationFn: (id: string) => call(deleteEmailDomain, { id }) })
