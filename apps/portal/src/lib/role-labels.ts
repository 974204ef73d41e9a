import type { Role } from '@glacis/contract/role'

export const roleLabels: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  admin: 'Admin',
  analyst: 'Analyst',
  viewer: 'Viewer',
  auditor: 'Auditor',
}

export const roleHints: Readonly<Record<Role, string>> = {
  owner: 'Full access, including plan, ownership, and deletion.',
  admin: 'Manages members, agents, integrations, and settings.',
  analyst: 'Manages targets and scans, and works on risks.',
  viewer: 'Reads everything except the audit log, invitations, and sign-in settings.',
  auditor: 'Reads everything, including the audit log.',
}
