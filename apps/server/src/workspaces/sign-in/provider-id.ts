/** The IDs of workspace providers in the identity service, and the addresses of their sign-in. */

const prefix = 'workspace-'

/** Where sign-ins take place. */
export interface SignInSite {
  /** The portal's URL. */
  readonly url: string
  /** Whether the identity service is embedded. With an external one, the API itself is the relying party. */
  readonly hasOwnIdentity: boolean
}

/** The ID of a workspace's provider in the identity service, and in the methods of a session. */
export function providerId(workspace: string): string {
  return prefix + workspace
}

/** Where the sign-in with a workspace's provider starts. Takes the parameter `return_to`. */
export function signInUrl({ url, hasOwnIdentity }: SignInSite, workspace: string): string {
  // The portal's page first requires a session of the external identity service.
  if (!hasOwnIdentity) return `${url}/single-sign-on?${new URLSearchParams({ workspace })}`
  const query = new URLSearchParams({ provider: providerId(workspace), refresh: 'true' })
  return `${url}/self-service/login/browser?${query}`
}

/** The redirect URI to register with a workspace's provider. */
export function redirectUri({ url, hasOwnIdentity }: SignInSite, workspace: string): string {
  return hasOwnIdentity
    ? `${url}/self-service/methods/oidc/callback/${providerId(workspace)}`
    : `${url}/v1/sign-in-provider/${workspace}/callback`
}

/** The workspace of a provider; empty for a provider of the installation. */
export function workspaceOf(id: string): string {
  return id.startsWith(prefix) ? id.slice(prefix.length) : ''
}
