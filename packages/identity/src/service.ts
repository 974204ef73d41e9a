/** What every part of the service works with; built once by the door. */
import type { Courier } from '#courier.ts'
import { csrfCookieName } from '#http/csrf.ts'
import { type Hashing, defaultHashing } from '#method/argon2.ts'
import type { Method } from '#method/method.ts'
import { type Provider, createProvider } from '#oidc/provider.ts'
import { type Recent, createRecent } from '#recent.ts'
import type { CaptchaOptions, IdentityEvent, IdentityOptions, Lifespans, Log } from '#options.ts'
import type { Database, FlowKind } from '#store.ts'

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
  /** Sessions that were read a moment ago; for those who only ask who it is. */
  readonly recent: Recent
  /** Tells the audit trail; a listener that fails is logged and harms nobody. */
  readonly tell: (event: IdentityEvent) => void
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

/**
 * Puts the options into the shape that the parts work with.
 *
 * @throws Error when an address is not absolute or the secret is too short to be one
 */
export function buildService(options: IdentityOptions, courier: Courier, methods: readonly Method[]): Service {
  const publicUrl = withoutSlash(options.publicUrl)
  const portalUrl = withoutSlash(options.portalUrl)
  const secret = Buffer.from(options.secret, 'hex')
  const now = options.now ?? (() => new Date())
  if (secret.length < 32) throw new Error('The identity secret must be at least 32 bytes in hex')
  return {
    db: options.database,
    publicUrl,
    portalUrl,
    defaultReturnUrl: `${portalUrl}/overview`,
    lifespans: options.lifespans,
    methods,
    captcha: options.captcha,
    registrationStyle: options.registrationStyle ?? 'one-step',
    disabledFlows: new Set(options.disabledFlows),
    hasMailedSecondFactor: options.methods?.code === 'second',
    breachCheckUrl: options.breachCheckUrl,
    hashing: { ...defaultHashing, ...options.hashing },
    signUpsMax: options.signUpsMax ?? 20,
    providers: (options.methods?.oidc ?? []).map((one) => createProvider(one, now)),
    csrfCookie: csrfCookieName(publicUrl),
    isSecure: new URL(publicUrl).protocol === 'https:',
    secret,
    courier,
    log: options.log,
    now,
    recent: createRecent({ db: options.database, now }),
    tell: (event) => {
      try {
        options.onEvent?.(event)
      } catch (cause) {
        options.log.error({ err: cause, kind: event.kind }, 'identity event listener failed')
      }
    },
  }
}

function withoutSlash(url: string): string {
  return new URL(url).href.replace(/\/+$/, '')
}
