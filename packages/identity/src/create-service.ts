/** Creates the service from its options. */
import type { Courier } from '#courier.ts'
import { csrfCookieName } from '#http/csrf.ts'
import { defaultHashCost } from '#method/argon2.ts'
import { createProviderFinder } from '#oidc/organization.ts'
import { createProvider } from '#oidc/provider.ts'
import type { IdentityOptions } from '#options.ts'
import type { Method, Service } from '#service.ts'

/**
 * Validates the options and applies defaults.
 *
 * @throws Error if a URL isn't absolute or the secret is too short
 */
export function buildService(options: IdentityOptions, courier: Courier, methods: readonly Method[]): Service {
  const publicUrl = trimTrailingSlash(options.publicUrl)
  const portalUrl = trimTrailingSlash(options.portalUrl)
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
    isAllowedAddress: options.isAllowedAddress ?? (async () => true),
    hashing: { ...defaultHashCost, ...options.hashing },
    signUpsMax: options.signUpsMax ?? 20,
    providers: (options.methods?.oidc ?? []).map((provider) => createProvider(provider, now)),
    findOrganizationProvider: createProviderFinder(options.organizations, now),
    onOrganizationSignIn: async (signIn) => options.organizations?.onSignIn(signIn),
    csrfCookie: csrfCookieName(publicUrl),
    isSecure: new URL(publicUrl).protocol === 'https:',
    secret,
    courier,
    log: options.log,
    now,
    emit: (event) => {
      try {
        options.onEvent?.(event)
      } catch (cause) {
        options.log.error({ err: cause, kind: event.kind }, 'identity event listener failed')
      }
    },
  }
}

function trimTrailingSlash(url: string): string {
  return new URL(url).href.replace(/\/+$/, '')
}
