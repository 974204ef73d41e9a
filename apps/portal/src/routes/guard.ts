/** What the routes behind the session ask before they open. */
import type { QueryClient } from '@tanstack/react-query'
import { redirect } from '@tanstack/react-router'
import { departureFor } from '#identity/failure.ts'
import { redirectTo } from '#identity/lifecycle.ts'
import { validSession } from '#identity/session.ts'

/** The full address of a place in the portal. */
export function addressOf(href: string): string {
  return new URL(href, window.location.origin).href
}

/**
 * Lets only people with a valid session on. Others go to the login page, and come back here afterwards.
 *
 * @param href path, search and hash of the page that was asked for
 */
export async function requireSession(client: QueryClient, href: string): Promise<void> {
  const here = addressOf(href)
  try {
    if (await validSession(client)) return
  } catch (error) {
    const departure = departureFor(error, here)
    throw departure ? redirectTo(departure) : error
  }
  throw redirect({ to: '/login', search: { return_to: here } })
}
