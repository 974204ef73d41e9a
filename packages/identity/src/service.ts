/** What every part of the service works with: the service itself, its methods and the exchange of one request. */
import type { Courier } from '#courier.ts'
import type { Body, Fields } from '#http/body.ts'
import type { Identity } from '#identities.ts'
import type { Hashing } from '#method/argon2.ts'
import type { Provider } from '#oidc/provider.ts'
import type { CaptchaOptions, IdentityEvent, Lifespans, Log } from '#options.ts'
import type { AuthenticationMethod, Database, Device, Flow, FlowKind, FlowMemory, Traits } from '#store.ts'
import type { Message, PlacedMessage } from '#ui/message.ts'
import type { Node } from '#ui/node.ts'

export interface Service {
  readonly db: Database
  readonly publicUrl: string
  readonly portalUrl: string
  /** Where a browser goes when nobody said where. */
  readonly defaultReturnUrl: string
  readonly lifespans: Lifespans
  /** What is offered, in the order in which forms ask for it. */
  readonly methods: readonly Method[]
  /** Other services by which people may sign in, in the order of their buttons. */
  readonly providers: readonly Provider[]
  readonly captcha: CaptchaOptions | undefined
  readonly registrationStyle: 'one-step' | 'two-step'
  readonly disabledFlows: ReadonlySet<FlowKind>
  /** A code is mailed after the first factor, whoever signs in. */
  readonly hasMailedSecondFactor: boolean
  readonly breachCheckUrl: string | undefined
  readonly hashing: Hashing
  /** Sign-ups from one client address in one window. */
  readonly signUpsMax: number
  readonly csrfCookie: string
  /** True when the public address is https; cookies are then sent over https only. */
  readonly isSecure: boolean
  readonly secret: Buffer
  readonly courier: Courier
  readonly log: Log
  readonly now: () => Date
  /** Tells the audit trail; a listener that fails is logged and harms nobody. */
  readonly tell: (event: IdentityEvent) => void
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
}

/** One request and the answer that is being made for it. */
export interface Exchange {
  readonly service: Service
  readonly query: URLSearchParams
  /** The absolute public address of the request. */
  readonly url: string
  readonly client: Client
  readonly cookies: ReadonlyMap<string, string>
  /** The Cookie header was there, whatever it held. */
  readonly hasCookieHeader: boolean
  /** A script made the request, as the browser says. */
  readonly isFetch: boolean
  /** The answer to a submit, or a refusal, shall be JSON. */
  readonly wantsJson: boolean
  /** The answer to a flow's start shall be JSON. */
  readonly acceptsJson: boolean
  readonly body: Body
  /** Set-Cookie lines of the answer, by cookie name. */
  readonly setCookies: Map<string, string>
  /** The CSRF token that this exchange gave to the browser, if it gave one. */
  givenOut: string | null
  /** The live session of the request's cookie; asked of the database once. */
  session(): Promise<LiveSession | null>
}

/** What a form is drawn for. */
export interface Scene {
  readonly service: Service
  /** Whose renewal, second factor or settings; null where nobody is known yet. */
  readonly holder: Identity | null
  /** What the flow remembers so far. */
  readonly memory: FlowMemory
  /** Leaves with the flow what a submit of it must meet again. */
  remember(more: FlowMemory): void
}

/** The same for a form that always has somebody behind it. */
export type HeldScene = Scene & { readonly holder: Identity }

type Nodes = readonly Node[] | Promise<readonly Node[]>

export interface Refused {
  readonly kind: 'refused'
  readonly messages: readonly PlacedMessage[]
  /** What the form asked was used up: another try needs the method's nodes anew. */
  readonly isSpent?: boolean
}

/** A wrong password is a value, not an exception. */
export type LoginOutcome = { readonly kind: 'passed'; readonly identityId: string } | Asked | Refused

/** Something was sent; the form goes on with these nodes, in this order, and nothing is proved yet. */
export interface Asked {
  readonly kind: 'asked'
  readonly nodes: readonly Node[]
  readonly message: Message
  readonly memory: FlowMemory
}

/** A credential that waits for its account to be made. */
export type RegistrationOutcome =
  | {
      readonly kind: 'ready'
      readonly attach: (tx: Database, identityId: string) => Promise<void>
      /** The credential has proved the address. */
      readonly isProven?: boolean
    }
  | Asked
  | Refused

export type SettingsOutcome =
  | {
      readonly kind: 'saved'
      readonly continueWith?: readonly unknown[]
      /** What the change has proved on the way: who enrols a factor has just used it. */
      readonly proves?: Pick<AuthenticationMethod, 'method' | 'aal'>
    }
  /** Nothing was changed yet; the form goes on with these nodes of the method. */
  | { readonly kind: 'shown'; readonly nodes: readonly Node[]; readonly memory?: FlowMemory }
  | { readonly kind: 'reauthenticate' }
  | Refused

export interface Method {
  readonly name: string
  /** Recognises a submit that does not name its method, by the fields that only this one has. */
  readonly claims?: (fields: Fields) => boolean
  readonly login?: {
    /** Fields of a sign-in; the holder is whose sign-in is refreshed, if any. */
    nodes(scene: Scene): Nodes
    submit(exchange: Exchange, fields: Fields, flow: Flow): Promise<LoginOutcome>
  }
  /** A proof after the first one, asked of every account that has a credential of the method's name. */
  readonly secondFactor?: {
    /** No credential is needed for it: every account has it. */
    readonly isEverybodys?: boolean
    /** What happens at once when an account has no other second factor. */
    begin?(exchange: Exchange, session: LiveSession, flow: Flow): Promise<LoginOutcome>
    nodes(scene: HeldScene): Nodes
    submit(exchange: Exchange, session: LiveSession, fields: Fields, flow: Flow): Promise<LoginOutcome>
  }
  readonly registration?: {
    nodes(scene: Scene): Nodes
    submit(exchange: Exchange, fields: Fields, traits: Traits, flow: Flow): Promise<RegistrationOutcome>
    /** The credential itself may bring the traits: they are read when it is there. */
    readonly needsNoTraits?: boolean
    /** Faults of this method's own fields that can be told before the traits are right. */
    missing(fields: Fields): readonly PlacedMessage[]
  }
  readonly settings?: {
    nodes(scene: HeldScene): Nodes
    submit(exchange: Exchange, session: LiveSession, fields: Fields, flow: Flow): Promise<SettingsOutcome>
  }
}

/** A submit that the method did not accept. */
export function refused(...messages: PlacedMessage[]): Refused {
  return { kind: 'refused', messages }
}

/** The portal's page of each kind of flow. */
const pages: Readonly<Record<FlowKind | 'error', string>> = {
  login: '/login',
  registration: '/registration',
  settings: '/profile',
  verification: '/verification',
  recovery: '/recovery',
  error: '/error',
}

/** The absolute address of a portal page, with the flow that it shall show. */
export function pageUrl(service: Service, kind: FlowKind, flowId?: string): string {
  return `${service.portalUrl}${pages[kind]}${flowId ? `?flow=${flowId}` : ''}`
}

/** The absolute address of the portal page that shows a stored error. */
export function errorPageUrl(service: Service, errorId: string): string {
  return `${service.portalUrl}${pages.error}?id=${errorId}`
}

/** The absolute address to which a flow's form is sent. */
export function actionUrl(service: Service, kind: FlowKind, flowId: string): string {
  return `${service.publicUrl}/self-service/${kind}?flow=${flowId}`
}

/** Where a session of one factor goes to give its second. */
export function secondFactorUrl(service: Service, returnTo: string | null): string {
  const query = new URLSearchParams({ aal: 'aal2', ...(returnTo && { return_to: returnTo }) })
  return `${service.publicUrl}/self-service/login/browser?${query}`
}
