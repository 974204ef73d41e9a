/** Roles of members, and the reasons why requests are rejected. */
import { z } from 'zod/mini'

/** From the most to the least powerful; an auditor reads everything including the audit log, and changes nothing. */
export const roles = ['owner', 'admin', 'analyst', 'viewer', 'auditor'] as const
export const Role = z.enum(roles)
export type Role = z.infer<typeof Role>

/** The request header that selects the workspace. Default: the one used last. */
export const workspaceHeader = 'Glacis-Workspace'

/**
 * Why a request was rejected: the `reason` of `google.rpc.ErrorInfo` in the error's details. Clients may depend on these.
 */
export const errorReasons = {
  /** 403: the role doesn't allow the call. Metadata: `role`, `allowedRoles`. */
  role: 'ROLE_NOT_ALLOWED',
  /** 403: the user was removed from the workspace, or left it. */
  ended: 'MEMBERSHIP_ENDED',
  /** 403: the user isn't a member of any workspace. */
  none: 'NO_WORKSPACE',
  /** 409: the change would leave the workspace without an owner. */
  lastOwner: 'LAST_OWNER',
  /** 409: the role of the user making the change has just been changed. */
  roleChanged: 'OWN_ROLE_CHANGED',
  /** 409: the address already belongs to a member. */
  alreadyMember: 'ALREADY_MEMBER',
  /** 409: the address already has a pending invitation. */
  alreadyInvited: 'ALREADY_INVITED',
  /** 400: the invitation has expired. */
  expired: 'INVITATION_EXPIRED',
  /** 400: the invitation was revoked, or replaced by a newer email. */
  revoked: 'INVITATION_REVOKED',
  /** 400: the invitation was already used. */
  used: 'INVITATION_USED',
  /** 403: the invitation is for another email address. Metadata: `email`, masked. */
  otherAddress: 'INVITATION_FOR_ANOTHER_ADDRESS',
  /** 403: the email address of the user isn't verified. */
  unverified: 'EMAIL_NOT_VERIFIED',
  /** 403: the workspace requires signing in with its provider. Metadata: `label`, `signInUrl`. */
  provider: 'SIGN_IN_PROVIDER_REQUIRED',
  /** 403: users can't sign in from this address. Metadata: `address`. */
  network: 'NETWORK_NOT_ALLOWED',
  /** 400: the list of networks doesn't contain the address of the user who sets it. Metadata: `address`. */
  ownAddress: 'OWN_ADDRESS_EXCLUDED',
  /** 409: someone else changed the settings since they were read. */
  settingsChanged: 'SETTINGS_CHANGED',
  /** 403: only administrators of the installation may make the call. */
  administrator: 'ADMINISTRATOR_REQUIRED',
} as const
export type ErrorReason = (typeof errorReasons)[keyof typeof errorReasons]
