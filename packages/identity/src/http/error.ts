/** Errors outside of forms, in Kratos's error envelope. */

const statusTexts: Readonly<Record<number, readonly [status: string, message: string]>> = {
  400: ['Bad Request', 'The request was malformed or contained invalid parameters'],
  401: ['Unauthorized', 'The request could not be authorized'],
  403: ['Forbidden', 'The requested action was forbidden'],
  404: ['Not Found', 'The requested resource could not be found'],
  410: ['Gone', 'The requested resource is no longer available because it has expired or is otherwise invalid.'],
  413: ['Request Entity Too Large', 'The request body is too large'],
  422: ['Unprocessable Entity', 'browser location change required'],
  500: ['Internal Server Error', 'An internal server error occurred, please contact the system administrator'],
  503: ['Service Unavailable', 'The service is temporarily unavailable. Try again in a few seconds.'],
}

interface ErrorDetails {
  readonly id?: string
  readonly reason?: string
  readonly message?: string
  readonly details?: Readonly<Record<string, unknown>>
  /** Top-level keys next to `error`. */
  readonly extra?: Readonly<Record<string, unknown>>
  /** Redirect for browsers, instead of the error page. */
  readonly browser?: { readonly location: string; readonly status: 302 | 303 }
}

/** An error response. Flows throw it, and the plugin sends it. */
export class WireError extends Error {
  readonly code: number
  readonly more: ErrorDetails

  constructor(code: number, more: ErrorDetails = {}) {
    super(more.message ?? statusTexts[code]?.[1] ?? 'error')
    this.name = 'WireError'
    this.code = code
    this.more = more
  }
}

/** The `error` object, with keys in wire order. */
export function errorObject(error: WireError, requestId?: string): Record<string, unknown> {
  const { id, reason, details } = error.more
  return {
    ...(id && { id }),
    code: error.code,
    status: statusTexts[error.code]?.[0] ?? 'Error',
    ...(requestId && { request: requestId }),
    ...(reason && { reason }),
    ...(details && { details }),
    message: error.message,
  }
}

export function notFound(): WireError {
  return new WireError(404, { message: 'Unable to locate the resource' })
}

export function badRequest(reason: string): WireError {
  return new WireError(400, { reason })
}

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

/** Registration is disabled. */
export function flowDisabled(): WireError {
  return new WireError(400, {
    id: 'self_service_flow_disabled',
    reason: 'Registration is not allowed because it was disabled.',
    message: 'registration flow disabled',
  })
}

/** Users can't sign in from this address. */
export function networkNotAllowed(ip: string): WireError {
  return new WireError(403, {
    id: 'network_not_allowed',
    reason: `Signing in isn't allowed from ${ip}. Connect from an allowed network.`,
    message: `Signing in isn't allowed from ${ip}`,
  })
}

/** A session is required. */
export function sessionInactive(more: Partial<ErrorDetails> = {}): WireError {
  return new WireError(401, {
    id: 'session_inactive',
    reason: 'No active session was found in this request.',
    message: 'request does not have a valid authentication session',
    ...more,
  })
}

/** A session is required for a settings submission. As in Kratos, this error has no ID. */
export function sessionMissing(loginPage: string): WireError {
  return new WireError(401, {
    reason: 'A valid Ory Session Cookie or Ory Session Token is missing.',
    browser: { location: loginPage, status: 302 },
  })
}

/** The flow can't be used while signed in. */
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

/** A second factor was requested before a first one. */
export function aal1Required(): WireError {
  return new WireError(401, {
    id: 'session_aal1_required',
    reason: 'You can not requested a higher AAL (AAL2/AAL3) without an active session.',
    message: 'aal2 and aal3 can only be requested if a session exists already',
  })
}

/** The session requires a second factor. */
export function aal2Required(location: string): WireError {
  return new WireError(403, {
    id: 'session_aal2_required',
    reason:
      'An active session was found but it does not fulfill the requested Authenticator Assurance Level. Please verify yourself with a second factor to resolve this issue.',
    details: { redirect_browser_to: location },
    message: 'Session does not fulfill the requested Authenticator Assurance Level',
    extra: { redirect_browser_to: location },
    browser: { location, status: 303 },
  })
}

/** The client must redirect the browser to continue. */
export function locationChangeRequired(location: string): WireError {
  return new WireError(422, {
    id: 'browser_location_change_required',
    reason: `In order to complete this flow please redirect the browser to: ${location}`,
    extra: { redirect_browser_to: location },
    browser: { location, status: 303 },
  })
}

/** The flow can't continue and was replaced by another one. */
export function flowReplaced(useFlowId: string, page: string, verb: 'use the new' | 'retry the'): WireError {
  return new WireError(410, {
    id: 'self_service_flow_replaced',
    reason: `An error occured, please ${verb} flow.`,
    message: 'self-service flow replaced',
    extra: { use_flow_id: useFlowId },
    browser: { location: page, status: 303 },
  })
}
