/** What the routes behind the session ask before they open. */
import { Id } from '@glacis/contract/primitives'
import type { QueryClient } from '@tanstack/react-query'
import { redirect } from '@tanstack/react-router'
import { departureFor } from '#identity/failure.ts'
import { redirectTo } from '#identity/lifecycle.ts'
import { validSession } from '#identity/session.ts'
import { unsentBelongsTo } from '#lib/unsent.ts'

/** The full address of a place in the portal. */
export function addressOf(href: string): string {
  return new URL(href, window.location.origin).href
}

/** An address named something by an id that nothing can have; nobody needs to be asked about it. */
export class UnknownId extends Error {
  constructor(id: string, options?: ErrorOptions) {
    super(`“${id}” is not an id.`, options)
    this.name = 'UnknownId'
  }
}

/**
 * The id in a path, before anything is asked for with it.
 *
 * @throws UnknownId when it is not one.
 */
export function idOf({ id }: { readonly id: string }): string {
  if (!Id.safeParse(id).success) throw new UnknownId(id)
  return id
}

/**
 * Lets only people with a valid session on. Others go to the login page, and come back here afterwards.
 *
 * @param href path, search and hash of the page that was asked for
 */
export async function requireSession(client: QueryClient, href: string): Promise<void> {
  const here = addressOf(href)
  try {
    const session = await validSession(client)
    if (session) return unsentBelongsTo(session.identity.id)
  } catch (error) {
    const departure = departureFor(error, here, 'page')
    throw departure ? redirectTo(departure) : error
  }
  throw redirect({ to: '/login', search: { return_to: here } })
}
