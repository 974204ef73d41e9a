import type { Kysely } from 'kysely'

/** An email ready for delivery. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** An event for the audit log. */
export interface IdentityEvent {
  readonly kind: EventKind
  readonly identityId: string | null
  readonly ip: string
  readonly userAgent: string
  readonly at: Date
  readonly detail?: string
}
export type EventKind =
  | 'signed_in'
  | 'sign_in_failed'
  | 'signed_out'
  | 'registered'
  | 'recovered'
  | 'email_verified'
  | 'email_changed'
  | 'profile_changed'
  | 'password_changed'
  | 'second_factor_added'
  | 'second_factor_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'key_cloned'
  | 'provider_linked'
  | 'provider_unlinked'
  | 'session_revoked'
  | 'sessions_revoked'
  | 'throttled'

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface Lifespans {
  /** The maximum lifetime of a session after sign-in, regardless of activity. */
  readonly sessionMs: number
  /** How long a session lasts without a request. Default: as long as `sessionMs`. */
  readonly idleMs?: number | undefined
  readonly flowMs: number
  readonly codeMs: number
  /** How long after sign-in the password or email address may be changed without reauthenticating. */
  readonly privilegedMs: number
}

/** An external identity provider. */
export interface ProviderOptions {
  /** Identifier of letters, digits, `-`, and `_`. It is part of the callback URL, so it must not change. */
  readonly id: string
  /** Display name on buttons. Default: the ID. */
  readonly label?: string | undefined
  readonly clientId: string
  readonly clientSecret?: string | undefined
  /** OpenID Connect issuer. Its metadata is discovered on first use. */
  readonly issuer?: string | undefined
  /** Endpoints for plain OAuth 2.0, instead of an issuer. */
  readonly authorizationUrl?: string | undefined
  readonly tokenUrl?: string | undefined
  readonly userinfoUrl?: string | undefined
  readonly scopes?: readonly string[] | undefined
  /** How the provider returns the response. Apple, for example, requires `form_post`. */
  readonly responseMode?: 'query' | 'form_post' | undefined
}

/** A provider of an organization. It signs in only users of the organization's own email domains. */
export interface OrganizationProvider extends ProviderOptions {
  readonly issuer: string
  /** Email domains that the organization controls, in lower case. It vouches for the addresses in them. */
  readonly domains: readonly string[]
  /** Claim with the user's groups. */
  readonly groupsClaim: string
  /** Sends the requests to the provider. Default: `fetch`. */
  readonly fetch?: ((url: string, options: RequestInit) => Promise<Response>) | undefined
}

/** A sign-in with a provider of an organization. */
export interface OrganizationSignIn {
  readonly provider: string
  readonly identityId: string
  readonly email: string
  readonly name: string
  readonly groups: readonly string[]
  readonly ip: string
  readonly userAgent: string
}

/** Providers that are added while the service runs. */
export interface OrganizationOptions {
  /** Null for an unknown ID. */
  find(id: string): Promise<OrganizationProvider | null>
  /** Called before the sign-in completes. A rejection fails it. */
  onSignIn(signIn: OrganizationSignIn): Promise<void>
}

/** Authentication methods. Enabled by default unless noted otherwise. */
export interface MethodOptions {
  /** Authenticator app codes as a second factor. */
  readonly totp?: boolean
  /** Passkeys as a first factor, bound to the portal's host. */
  readonly passkey?: boolean
  /** Security keys as a second factor, bound to the portal's host. */
  readonly webauthn?: boolean
  /** Passwords. */
  readonly password?: boolean
  /**
   * Emailed codes, off by default: as a first factor (`first`), or as a second factor required of every user (`second`).
   * Not both, because the same mailbox would then be both factors.
   */
  readonly code?: 'first' | 'second' | undefined
  /** External providers, in the order of their buttons. Default: none. */
  readonly oidc?: readonly ProviderOptions[]
  /** Backup codes as a second factor. */
  readonly lookupSecret?: boolean
}

/** A CAPTCHA with the protocol of Cloudflare Turnstile. */
export interface CaptchaOptions {
  readonly siteKey: string
  readonly secret: string
  /** Endpoint that verifies tokens. */
  readonly verifyUrl: string
}

export interface IdentityOptions {
  /** Connection with the owner role. All tables are in the PostgreSQL schema `identity`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- independent of the caller's tables
  readonly database: Kysely<any>
  /** Public base URL without a trailing slash. The plugin serves /self-service, /sessions, and /schemas below it. */
  readonly publicUrl: string
  /** Base URL of the portal, with the pages /login, /registration, /recovery, /verification, /profile, and /error. */
  readonly portalUrl: string
  readonly lifespans: Lifespans
  readonly methods?: MethodOptions
  /** Default: none. */
  readonly organizations?: OrganizationOptions | undefined
  /** Required for sign-in, registration, recovery, and verification. Default: no CAPTCHA. */
  readonly captcha?: CaptchaOptions | undefined
  /** Registration with one form (default), or with separate steps for the profile and the credential. */
  readonly registrationStyle?: 'one-step' | 'two-step'
  /** Flows that can't be started. */
  readonly disabledFlows?: readonly ('registration' | 'recovery' | 'verification')[]
  /**
   * Base URL of a breached-password range API (Pwned Passwords). The first five hex digits of the password's SHA-1 are
   * appended. Default: no check.
   */
  readonly breachCheckUrl?: string | undefined
  /** Whether users may sign in from an address. Default: from all. */
  readonly isAllowedAddress?: ((ip: string) => Promise<boolean>) | undefined
  /** Argon2id cost. Lower the default only in tests. */
  readonly hashing?: { readonly memory: number; readonly passes: number } | undefined
  /** Maximum sign-ups per client IP (IPv6: per /64) within 15 minutes. Default: 20. */
  readonly signUpsMax?: number | undefined
  /** Persistent secret of at least 32 bytes in hex. Keys code hashes and encrypted values. */
  readonly secret: string
  /**
   * Queues a job in the transaction. The job must call `deliverMail` with the ID and retry until it succeeds. For an
   * expired email, `deliverMail` succeeds without sending it.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- independent of the caller's tables
  readonly enqueueMail: (tx: Kysely<any>, mailId: string) => Promise<void>
  /** Sends an email. Rejects if it can't be sent. */
  readonly deliver: (mail: Mail) => Promise<void>
  readonly log: Log
  /** Receives events for the audit log. */
  readonly onEvent?: (event: IdentityEvent) => void
  readonly now?: () => Date
}
