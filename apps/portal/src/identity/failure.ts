/** Errors of the identity service, and where they redirect the browser. */
import { FlowError } from '@glacis/contract/identity'
import type { FlowKind } from '#identity/flow-kind.ts'

/** An error response of the identity service, or a response with an unexpected shape. */
export class IdentityFailure extends Error {
  readonly status: number
  /** Error ID such as `session_inactive`; empty if the response has none. */
  readonly id: string
  readonly reason: string
  readonly redirectBrowserTo: string | undefined
  /** ID of the flow that replaces an expired one. */
  readonly useFlowId: string | undefined

  constructor(status: number, body: unknown, options?: ErrorOptions) {
    const read = FlowError.safeParse(body)
    const error = read.success ? read.data.error : undefined
    super(error?.message || `The identity service returned status ${status}`, options)
    this.name = 'IdentityFailure'
    this.status = status
    this.id = error?.id ?? ''
    this.reason = error?.reason ?? ''
    this.redirectBrowserTo = read.success ? read.data.redirect_browser_to : undefined
    this.useFlowId = read.success ? read.data.use_flow_id : undefined
  }
}

/** Where an error redirects the browser: a page of the portal or another URL. */
export type RedirectTarget =
  | { readonly kind: 'login'; readonly search: { readonly return_to: string; readonly aal?: 'aal2' } }
  | { readonly kind: 'profile' }
  | { readonly kind: 'address'; readonly href: string }
  | { readonly kind: 'error'; readonly id: string }

/** What was requested when the error occurred: a flow or a page of the portal. */
export type RequestedPage = FlowKind | 'page'

/**
 * Decides where an error redirects. `here` is the full URL of the requested page.
 * Returns undefined for errors without an ID, which the generic error view shows. The exception is a 401 from the
 * settings flow: it means that the session has ended.
 */
export function redirectTargetFor(error: unknown, here: string, requested?: RequestedPage): RedirectTarget | undefined {
  if (!(error instanceof IdentityFailure)) return undefined
  if (requested === 'settings' && error.status === 401 && !error.id) return toLogin(here)
  switch (error.id) {
    case 'session_inactive':
      return toLogin(here)
    case 'session_already_available':
      return { kind: 'profile' }
    case 'session_aal2_required':
      return secondFactor(error, here, requested)
    // The page shows the reason; see routes/error-screen.tsx.
    case 'network_not_allowed':
      return undefined
    case 'session_refresh_required':
    case 'browser_location_change_required':
      return error.redirectBrowserTo ? { kind: 'address', href: absolute(error.redirectBrowserTo, here) } : undefined
    default:
      return error.id ? { kind: 'error', id: error.id } : undefined
  }
}

function toLogin(here: string): RedirectTarget {
  return { kind: 'login', search: { return_to: here } }
}

/** Adds `return_to`, because the service doesn't know which page was requested. */
function secondFactor({ redirectBrowserTo }: IdentityFailure, here: string, requested?: RequestedPage): RedirectTarget {
  if (!redirectBrowserTo) return { kind: 'login', search: { aal: 'aal2', return_to: here } }
  const address = new URL(redirectBrowserTo, here)
  if (requested === 'settings' || requested === 'page') address.searchParams.set('return_to', here)
  return { kind: 'address', href: address.href }
}

function absolute(address: string, here: string): string {
  return new URL(address, here).href
}
