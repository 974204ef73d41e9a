/** docs/roles.md, generated from the table of permissions. */
import { type Permission, permissions } from '#permissions.ts'
import { roles } from '#role.ts'

const introduction = `# Roles

Every member of a workspace has one role. Owners and admins change roles under *Workspace settings → Members*; only owners can make
someone an owner. At least one owner always remains.

| Role | For |
|---|---|
| owner | everything, including the workspace's plan, ownership, and deletion |
| admin | everything else: members, invitations, channels, agents, settings, the audit log |
| analyst | daily work: targets, scans, risks, assets, technologies, comments, and saved views |
| viewer | reads everything except the audit log, pending invitations, and the settings for email domains, sign-in, and provisioning |
| auditor | reads everything, including the audit log, and changes nothing |

An API token has a role too. It never allows more than the current role of the member who created it, and its scopes limit
it further. Calls marked *session* can't be made with a token; those marked *none* need no session. Calls marked *installation*
are for [administrators of the installation](administration.md), regardless of their role; other users get status 403 and the reason
\`ADMINISTRATOR_REQUIRED\`.

A call that a role doesn't allow is rejected with status 403 and the reason \`ROLE_NOT_ALLOWED\`.

Only owners and admins can change which intrusive checks may run on a target (\`permissions\` of \`createTarget\` and
\`updateTarget\`).

## Calls

This table is generated from \`packages/contract/src/permissions.ts\`, which the server enforces.
`

/** The page in Markdown. */
export function rolesPage(): string {
  const rows = Object.entries<Permission>(permissions).map(
    ([call, permission]) => `| \`${call}\` | ${cells(permission).join(' | ')} |`,
  )
  const head = [`| Call | ${roles.join(' | ')} | token scope |`, `|---|${roles.map(() => ':-:|').join('')}---|`]
  return `${[introduction, ...head, ...rows].join('\n')}\n`
}

function cells({ roles: allowed, scope }: Permission): string[] {
  const isOpen = allowed === null && scope !== 'installation'
  const marks = roles.map((role) => (isOpen || allowed?.includes(role) ? '✓' : ''))
  return [...marks, scope.startsWith('SCOPE_') ? `\`${scope}\`` : `*${scope}*`]
}
