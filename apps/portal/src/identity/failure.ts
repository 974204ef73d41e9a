/** What the identity service refuses with, and where the browser goes because of it. */
import { FlowError } from '@glacis/contract/identity'
import type { FlowKind } from '#identity/client.ts'

/** A refusal of the identity service, or an answer of it that could not be read. */
export class IdentityFailure extends Error {
  readonly status: number
  /** Such as `session_inactive`; empty when the service gave none. */
  readonly id: string
  readonly reason: string
  readonly redirectBrowserTo: string | undefined
  /** The flow that replaces an expired one. */
  readonly useFlowId: string | undefined

  constructor(status: number, body: unknown, options?: ErrorOptions) {
    const read = FlowError.safeParse(body)
    const error = read.success ? read.data.error : undefined
    super(error?.message || `The identity service answered with status ${status}`, options)
    this.name = 'IdentityFailure'
    this.status = status
    this.id = error?.id ?? ''
    this.reason = error?.reason ?? ''
    this.redirectBrowserTo = read.success ? read.data.redirect_browser_to : undefined
    this.useFlowId = read.success ? read.data.use_flow_id : undefined
  }
}

/** Where a refusal sends the browser: a page of the portal, or an address outside it. */
export type Departure =
  | { readonly kind: 'login'; readonly search: { readonly return_to: string; readonly aal?: 'aal2' } }
  | { readonly kind: 'profile' }
  | { readonly kind: 'address'; readonly href: string }
  | { readonly kind: 'error'; readonly id: string }

/** What was asked for when the service refused: a flow, or a page of the product. */
export type Asked = FlowKind | 'page'

/**
 * Decides where a refusal leads. `here` is the full address of the page that was asked for.
 * Nothing is returned for errors without an id: those are the generic error view's. Settings are the
 * exception, of which the service says by the status alone that the session has ended.
 */
export function departureFor(error: unknown, here: string, asked?: Asked): Departure | undefined {
  if (!(error instanceof IdentityFailure)) return undefined
  if (asked === 'settings' && error.status === 401 && !error.id) return toLogin(here)
  switch (error.id) {
    case 'session_inactive':
      return toLogin(here)
    case 'session_already_available':
      return { kind: 'profile' }
    case 'session_aal2_required':
      return secondFactor(error, here, asked)
    case 'session_refresh_required':
    case 'browser_location_change_required':
      return error.redirectBrowserTo ? { kind: 'address', href: absolute(error.redirectBrowserTo, here) } : undefined
    default:
      return error.id ? { kind: 'error', id: error.id } : undefined
  }
}

function toLogin(here: string): Departure {
  return { kind: 'login', search: { return_to: here } }
}

/** The service that refuses a session knows nothing of the page behind the question, so the way back is named here. */
function secondFactor({ redirectBrowserTo }: IdentityFailure, here: string, asked?: Asked): Departure {
  if (!redirectBrowserTo) return { kind: 'login', search: { aal: 'aal2', return_to: here } }
  const address = new URL(redirectBrowserTo, here)
  if (asked === 'settings' || asked === 'page') address.searchParams.set('return_to', here)
  return { kind: 'address', href: address.href }
}

function absolute(address: string, here: string): string {
  return new URL(address, here).href
}
