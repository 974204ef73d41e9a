import type { Kysely } from 'kysely'

/** A mail as it leaves the house. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Something that the audit trail wants to know. */
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
  readonly sessionMs: number
  readonly flowMs: number
  readonly codeMs: number
  /** How long after signing in a password or an address may be changed without signing in again. */
  readonly privilegedMs: number
}

/** Another service by which people may sign in. */
export interface ProviderOptions {
  /** A plain word; part of the callback's address, so it must not change. */
  readonly id: string
  /** What buttons call it; the id where nothing is said. */
  readonly label?: string | undefined
  readonly clientId: string
  readonly clientSecret?: string | undefined
  /** OpenID Connect: the issuer, of which everything else is learnt at the first use. */
  readonly issuer?: string | undefined
  /** Plain OAuth 2.0 in place of an issuer: where to go, where to get a token, where to ask who it is. */
  readonly authorizationUrl?: string | undefined
  readonly tokenUrl?: string | undefined
  readonly userinfoUrl?: string | undefined
  readonly scopes?: readonly string[] | undefined
  /** How the provider sends people back; `form_post` for those that insist on it, such as Apple. */
  readonly responseMode?: 'query' | 'form_post' | undefined
}

/** Which ways of proving oneself are offered; each is on where nothing is said. */
export interface MethodOptions {
  /** Codes of an authenticator app as a second factor. */
  readonly totp?: boolean
  /** Passkeys as a first factor; they belong to the portal's host. */
  readonly passkey?: boolean
  /** Security keys as a second factor; they belong to the portal's host. */
  readonly webauthn?: boolean
  /** Passwords; accounts that have none keep their other ways in. */
  readonly password?: boolean
  /**
   * Codes by mail: in place of a password (`first`), or of everybody after the first factor (`second`); not at
   * all where nothing is said. Not both, for one mailbox would be both factors.
   */
  readonly code?: 'first' | 'second' | undefined
  /** Other services, in the order of their buttons; none where nothing is said. */
  readonly oidc?: readonly ProviderOptions[]
  /** Printed back-up codes as a second factor. */
  readonly lookupSecret?: boolean
}

/** A challenge that tells people from programs, with the protocol of Cloudflare Turnstile. */
export interface CaptchaOptions {
  readonly siteKey: string
  readonly secret: string
  /** Where tokens are verified. */
  readonly verifyUrl: string
}

export interface IdentityOptions {
  /** Connection of the owner; everything lives in the PostgreSQL schema `identity`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the caller's own tables are of no interest here
  readonly database: Kysely<any>
  /** Public base URL, no trailing slash; the plugin answers below it: /self-service, /sessions, /schemas. */
  readonly publicUrl: string
  /** Base URL of the portal, whose pages are /login, /registration, /recovery, /verification, /profile and /error. */
  readonly portalUrl: string
  readonly lifespans: Lifespans
  readonly methods?: MethodOptions
  /** Asked before signing in, signing up and recovering; nobody is asked where nothing is said. */
  readonly captcha?: CaptchaOptions | undefined
  /** Sign up in one form, which is the default, or say who one is first and how one will sign in after it. */
  readonly registrationStyle?: 'one-step' | 'two-step'
  /** Kinds of flows that nobody can start. */
  readonly disabledFlows?: readonly ('registration' | 'recovery' | 'verification')[]
  /**
   * Where passwords are looked up among those of known breaches, by the first five digits of their SHA-1
   * (the range search of Pwned Passwords); the address to which the five digits are added. Nothing is asked
   * where nothing is said.
   */
  readonly breachCheckUrl?: string | undefined
  /** How hard passwords are to hash; far below the default in tests alone. */
  readonly hashing?: { readonly memory: number; readonly passes: number } | undefined
  /** Sign-ups from one client address (IPv6: one /64) in 15 minutes; 20 where nothing is said. */
  readonly signUpsMax?: number | undefined
  /** Persisted secret of 32 or more bytes in hex, for code hashes and what is kept sealed. */
  readonly secret: string
  /**
   * Queues a job in the transaction, which shall call `deliverMail` of the service with the id until that succeeds.
   * Mails that nobody needs any more succeed without being sent.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- the caller's own tables are of no interest here
  readonly enqueueMail: (tx: Kysely<any>, mailId: string) => Promise<void>
  /** Sends one mail now; rejects when it could not. */
  readonly deliver: (mail: Mail) => Promise<void>
  readonly log: Log
  /** Told of sign-ins, failures, registrations, changes and revocations. Must not throw. */
  readonly onEvent?: (event: IdentityEvent) => void
  readonly now?: () => Date
}
