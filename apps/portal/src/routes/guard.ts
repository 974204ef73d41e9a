/** Checks that run before a protected route loads. */
import { Id } from '@glacis/contract/primitives'
import type { QueryClient } from '@tanstack/react-query'
import { redirect } from '@tanstack/react-router'
import { redirectTargetFor } from '#identity/failure.ts'
import { redirectTo } from '#identity/lifecycle.ts'
import { validSession } from '#identity/session.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { setDraftOwner } from '#lib/drafts.ts'

/** The absolute URL of a portal path. */
export function absoluteUrl(href: string): string {
  return new URL(href, window.location.origin).href
}

/** A URL whose ID is malformed. No request is needed to know that it doesn't exist. */
export class UnknownId extends Error {
  constructor(id: string, options?: ErrorOptions) {
    super(`“${id}” is not a valid ID.`, options)
    this.name = 'UnknownId'
  }
}

/**
 * Validates the ID in a path.
 *
 * @throws UnknownId if it isn't a valid ID
 */
export function validId({ id }: { readonly id: string }): string {
  if (!Id.safeParse(id).success) throw new UnknownId(id)
  return id
}

/** The redirect to the provider of a workspace, through the server. */
export function continueAtProvider(workspace: string, returnTo: string | undefined) {
  const query = returnTo ? `?${new URLSearchParams({ return_to: returnTo })}` : ''
  const href = `${portalConfig().apiUrl}/v1/sign-in-provider/${workspace}/start${query}`
  return redirectTo({ kind: 'address', href })
}

/**
 * Requires a valid session. Redirects to the login page otherwise, and returns here after signing in.
 *
 * @param href path, search, and hash of the requested page
 */
export async function requireSession(client: QueryClient, href: string): Promise<void> {
  const currentUrl = absoluteUrl(href)
  try {
    const session = await validSession(client)
    if (session) return setDraftOwner(session.identity.id)
  } catch (error) {
    const target = redirectTargetFor(error, currentUrl, 'page')
    throw target ? redirectTo(target) : error
  }
  throw redirect({ to: '/login', search: { return_to: currentUrl } })
}
