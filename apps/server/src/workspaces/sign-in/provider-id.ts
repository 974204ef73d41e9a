/** The ids of workspace providers in the identity service. */

const prefix = 'workspace-'

/** The id of a workspace's provider in the identity service, and in the methods of a session. */
export function providerId(workspace: string): string {
  return prefix + workspace
}

/** Where the sign-in with a workspace's provider starts. */
export function signInUrl(url: string, workspace: string): string {
  const query = new URLSearchParams({ provider: providerId(workspace), refresh: 'true' })
  return `${url}/self-service/login/browser?${query}`
}

/** The workspace of a provider; empty for a provider of the installation. */
export function workspaceOf(id: string): string {
  return id.startsWith(prefix) ? id.slice(prefix.length) : ''
}
