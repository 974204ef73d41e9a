/** Refusals outside of forms: the error envelope of the wire. */

const phrases: Readonly<Record<number, readonly [status: string, message: string]>> = {
  400: ['Bad Request', 'The request was malformed or contained invalid parameters'],
  401: ['Unauthorized', 'The request could not be authorized'],
  403: ['Forbidden', 'The requested action was forbidden'],
  404: ['Not Found', 'The requested resource could not be found'],
  410: ['Gone', 'The requested resource is no longer available because it has expired or is otherwise invalid.'],
  413: ['Request Entity Too Large', 'The request body is too large'],
  422: ['Unprocessable Entity', 'browser location change required'],
  500: ['Internal Server Error', 'An internal server error occurred, please contact the system administrator'],
  503: ['Service Unavailable', 'The service can not answer at the moment, please try again shortly'],
}

interface Details {
  readonly id?: string
  readonly reason?: string
  readonly message?: string
  readonly details?: Readonly<Record<string, unknown>>
  /** Keys that stand beside `error` in the answer. */
  readonly beside?: Readonly<Record<string, unknown>>
  /** Where a browser goes instead of the error page, and with which status. */
  readonly browser?: { readonly location: string; readonly status: 302 | 303 }
}

/** An answer of a status other than 2xx that is not a form. Thrown by flows, answered once in the plugin. */
export class WireError extends Error {
  readonly code: number
  readonly more: Details

  constructor(code: number, more: Details = {}) {
    super(more.message ?? phrases[code]?.[1] ?? 'error')
    this.name = 'WireError'
    this.code = code
    this.more = more
  }
}

/** The object under `error`, with the keys in the order of the wire. */
export function errorObject(error: WireError, requestId?: string): Record<string, unknown> {
  const { id, reason, details } = error.more
  return {
    ...(id && { id }),
    code: error.code,
    status: phrases[error.code]?.[0] ?? 'Error',
    ...(requestId && { request: requestId }),
    ...(reason && { reason }),
    ...(details && { details }),
    message: error.message,
  }
}

/** A row that is not there. */
export function notFound(): WireError {
  return new WireError(404, { message: 'Unable to locate the resource' })
}

/** A query or body that says nothing usable. */
export function badRequest(reason: string): WireError {
  return new WireError(400, { reason })
}

/** A form that cannot be tied to the browser it was made for. */
export function csrfViolation(hint: string, rejectReason?: string): WireError {
  return new WireError(403, {
    id: 'security_csrf_violation',
    reason:
      'Please retry the flow and optionally clear your cookies. The request was rejected to protect you from Cross-Site-Request-Forgery (CSRF) which could cause account takeover, leaking personal information, and other serious security issues.',
    details: {
      docs: 'https://www.ory.sh/kratos/docs/debug/csrf',
      hint,
      ...(rejectReason && { reject_reason: rejectReason }),
    },
    message: 'the request was rejected to protect you from Cross-Site-Request-Forgery',
  })
}

/** Signing up is not offered here. */
export function flowDisabled(): WireError {
  return new WireError(400, {
    id: 'self_service_flow_disabled',
    reason: 'Registration is not allowed because it was disabled.',
    message: 'registration flow disabled',
  })
}

/** No session where one is needed. */
export function sessionInactive(more: Partial<Details> = {}): WireError {
  return new WireError(401, {
    id: 'session_inactive',
    reason: 'No active session was found in this request.',
    message: 'request does not have a valid authentication session',
    ...more,
  })
}

/** Settings without a session: no id, so that clients treat it as any other 401. */
export function sessionMissing(loginPage: string): WireError {
  return new WireError(401, {
    reason: 'A valid Ory Session Cookie or Ory Session Token is missing.',
    browser: { location: loginPage, status: 302 },
  })
}

/** A session where none may be. */
export function sessionAlreadyAvailable(
  flow: 'login' | 'registration' | 'recovery',
  browser: { readonly location: string; readonly status: 302 | 303 },
  message = 'you are already logged in',
): WireError {
  const hint = flow === 'login' ? ' Did you forget to set `?refresh=true`?' : ''
  return new WireError(400, {
    id: 'session_already_available',
    reason: `A valid session was detected and thus ${flow} is not possible.${hint}`,
    message,
    browser,
  })
}

/** A second factor was asked of somebody who has not given the first. */
export function aal1Required(): WireError {
  return new WireError(401, {
    id: 'session_aal1_required',
    reason: 'You can not requested a higher AAL (AAL2/AAL3) without an active session.',
    message: 'aal2 and aal3 can only be requested if a session exists already',
  })
}

/** A second factor is enrolled and was not given yet. */
export function aal2Required(location: string): WireError {
  return new WireError(403, {
    id: 'session_aal2_required',
    reason:
      'An active session was found but it does not fulfill the requested Authenticator Assurance Level. Please verify yourself with a second factor to resolve this issue.',
    details: { redirect_browser_to: location },
    message: 'Session does not fulfill the requested Authenticator Assurance Level',
    beside: { redirect_browser_to: location },
    browser: { location, status: 303 },
  })
}

/** The client must take the browser to another page to go on. */
export function locationChangeRequired(location: string): WireError {
  return new WireError(422, {
    id: 'browser_location_change_required',
    reason: `In order to complete this flow please redirect the browser to: ${location}`,
    beside: { redirect_browser_to: location },
    browser: { location, status: 303 },
  })
}

/** The form cannot go on; another has taken its place. */
export function flowReplaced(useFlowId: string, page: string, verb: 'use the new' | 'retry the'): WireError {
  return new WireError(410, {
    id: 'self_service_flow_replaced',
    reason: `An error occured, please ${verb} flow.`,
    message: 'self-service flow replaced',
    beside: { use_flow_id: useFlowId },
    browser: { location: page, status: 303 },
  })
}
