/** Core types: the service, authentication methods, and the exchange of a request. */
import type { Courier } from '#courier.ts'
import type { Body, Fields } from '#http/body.ts'
import type { Identity } from '#identities.ts'
import type { HashCost } from '#method/argon2.ts'
import type { Provider } from '#oidc/provider.ts'
import type { CaptchaOptions, IdentityEvent, Lifespans, Log, OrganizationOptions } from '#options.ts'
import type { AuthenticationMethod, Database, Device, Flow, FlowKind, FlowMemory, Traits } from '#store.ts'
import type { Message, FieldMessage } from '#ui/message.ts'
import type { Node } from '#ui/node.ts'

export interface Service {
  readonly db: Database
  readonly publicUrl: string
  readonly portalUrl: string
  /** Redirect target for flows without `return_to`. */
  readonly defaultReturnUrl: string
  readonly lifespans: Lifespans
  /** Enabled methods, in form order. */
  readonly methods: readonly Method[]
  /** External identity providers, in button order. */
  readonly providers: readonly Provider[]
  /** Finds a provider of an organization. */
  readonly findOrganizationProvider: (id: string) => Promise<Provider | null>
  readonly onOrganizationSignIn: OrganizationOptions['onSignIn']
  readonly captcha: CaptchaOptions | undefined
  readonly registrationStyle: 'one-step' | 'two-step'
  readonly disabledFlows: ReadonlySet<FlowKind>
  /** Every sign-in requires an emailed code as a second factor. */
  readonly hasMailedSecondFactor: boolean
  readonly breachCheckUrl: string | undefined
  readonly hashing: HashCost
  readonly isAllowedAddress: (ip: string) => Promise<boolean>
  /** Maximum sign-ups per client IP and window. */
  readonly signUpsMax: number
  readonly csrfCookie: string
  /** The public URL uses HTTPS. Cookies are then marked Secure. */
  readonly isSecure: boolean
  readonly secret: Buffer
  readonly courier: Courier
  readonly log: Log
  readonly now: () => Date
  /** Emits an event for the audit log. Never throws; a failing listener is logged. */
  readonly emit: (event: IdentityEvent) => void
}

export interface Client {
  readonly ip: string
  readonly userAgent: string
}

export interface LiveSession {
  readonly id: string
  readonly identity: Identity
  readonly aal: 'aal1' | 'aal2'
  readonly authentication_methods: readonly AuthenticationMethod[]
  readonly devices: readonly Device[]
  readonly issued_at: Date
  readonly authenticated_at: Date
  readonly expires_at: Date
  /** The last request, with the accuracy that the idle limit needs. */
  readonly used_at: Date
}

/** An HTTP request and the state of its response. */
export interface Exchange {
  readonly service: Service
  readonly query: URLSearchParams
  /** Absolute public URL of the request. */
  readonly url: string
  readonly client: Client
  readonly cookies: ReadonlyMap<string, string>
  /** The request has a Cookie header. */
  readonly hasCookieHeader: boolean
  /** According to `Sec-Fetch-Mode`, a script made the request. */
  readonly isFetch: boolean
  /** Submissions and errors get JSON responses. */
  readonly wantsJson: boolean
  /** Flow initialization gets a JSON response. */
  readonly acceptsJson: boolean
  readonly body: Body
  /** Set-Cookie header values of the response, by cookie name. */
  readonly setCookies: Map<string, string>
  /** The CSRF token that this response sets, if any. */
  newCsrfToken: string | null
  /** The active session of the request's cookie. The lookup is cached. */
  session(): Promise<LiveSession | null>
}

/** Input for building a form. */
export interface FormContext {
  readonly service: Service
  /**
   * The identity that reauthenticates, completes a second factor, or changes its settings; null before a first factor.
   */
  readonly identity: Identity | null
  readonly memory: FlowMemory
  /** Stores values in the flow that a later submission needs. */
  remember(patch: FlowMemory): void
}

/** A form context with a known identity. */
export type IdentityFormContext = FormContext & { readonly identity: Identity }

type Nodes = readonly Node[] | Promise<readonly Node[]>

export interface Rejected {
  readonly kind: 'rejected'
  readonly messages: readonly FieldMessage[]
  /** The challenge was consumed, so the form needs a new one. */
  readonly needsNewChallenge?: boolean
}

export type LoginOutcome = { readonly kind: 'authenticated'; readonly identityId: string } | CodeSent | Rejected

/** A code was sent. The form continues with these nodes, in this order. */
export interface CodeSent {
  readonly kind: 'code_sent'
  readonly nodes: readonly Node[]
  readonly message: Message
  readonly memory: FlowMemory
}

export type RegistrationOutcome =
  | {
      readonly kind: 'ready'
      readonly attach: (tx: Database, identityId: string) => Promise<void>
      /** The credential also verified the email address. */
      readonly isAddressVerified?: boolean
    }
  | CodeSent
  | Rejected

export type SettingsOutcome =
  | {
      readonly kind: 'saved'
      readonly continueWith?: readonly unknown[]
      /** Enrolling a factor also completes it for the current session. */
      readonly completedMethod?: Pick<AuthenticationMethod, 'method' | 'aal'>
    }
  /** Nothing has changed yet. The form continues with these nodes of the method. */
  | { readonly kind: 'form_updated'; readonly nodes: readonly Node[]; readonly memory?: FlowMemory }
  | { readonly kind: 'reauthenticate' }
  | Rejected

export interface Method {
  readonly name: string
  /** Recognizes a submission without a `method` field by fields that are unique to this method. */
  readonly matches?: (fields: Fields) => boolean
  readonly login?: {
    /** Fields of the login form. On refresh, the context has the session's identity. */
    nodes(context: FormContext): Nodes
    submit(exchange: Exchange, fields: Fields, flow: Flow): Promise<LoginOutcome>
  }
  /** Second factor, required of every identity with a credential of this method. */
  readonly secondFactor?: {
    /** Required of every identity, without an enrolled credential. */
    readonly isForAllIdentities?: boolean
    /** Runs when the flow starts, if the identity has no other second factor. */
    autoStart?(exchange: Exchange, session: LiveSession, flow: Flow): Promise<LoginOutcome>
    nodes(context: IdentityFormContext): Nodes
    submit(exchange: Exchange, session: LiveSession, fields: Fields, flow: Flow): Promise<LoginOutcome>
  }
  readonly registration?: {
    nodes(context: FormContext): Nodes
    submit(exchange: Exchange, fields: Fields, traits: Traits, flow: Flow): Promise<RegistrationOutcome>
    /** The method can supply the traits, so they aren't validated before `submit`. */
    readonly hasOptionalTraits?: boolean
    /** Errors for missing fields of this method, reported together with trait errors. */
    missingFields(fields: Fields): readonly FieldMessage[]
  }
  readonly settings?: {
    nodes(context: IdentityFormContext): Nodes
    submit(exchange: Exchange, session: LiveSession, fields: Fields, flow: Flow): Promise<SettingsOutcome>
  }
}

/** Creates the outcome of a rejected submission. */
export function rejected(...messages: FieldMessage[]): Rejected {
  return { kind: 'rejected', messages }
}

/** Portal page of each flow. */
const pages: Readonly<Record<FlowKind | 'error', string>> = {
  login: '/login',
  registration: '/registration',
  settings: '/profile',
  verification: '/verification',
  recovery: '/recovery',
  error: '/error',
}

/** Absolute URL of the portal page that shows a flow. */
export function pageUrl(service: Service, kind: FlowKind, flowId?: string): string {
  return `${service.portalUrl}${pages[kind]}${flowId ? `?flow=${flowId}` : ''}`
}

/** Absolute URL of the portal page that shows a stored error. */
export function errorPageUrl(service: Service, errorId: string): string {
  return `${service.portalUrl}${pages.error}?id=${errorId}`
}

/** Absolute URL to which a flow's form is submitted. */
export function actionUrl(service: Service, kind: FlowKind, flowId: string): string {
  return `${service.publicUrl}/self-service/${kind}?flow=${flowId}`
}

/** URL that starts the second factor of a session. */
export function secondFactorUrl(service: Service, returnTo: string | null): string {
  const query = new URLSearchParams({ aal: 'aal2', ...(returnTo && { return_to: returnTo }) })
  return `${service.publicUrl}/self-service/login/browser?${query}`
}
