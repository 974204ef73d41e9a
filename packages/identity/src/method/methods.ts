/** Registry and selection of authentication methods. */
import { type Fields, textOf } from '#http/body.ts'
import { codeSignIn } from '#method/code-sign-in.ts'
import { lookupSecret } from '#method/lookup-secret.ts'
import { mailedFactor } from '#method/mailed-factor.ts'
import type { Method, Service } from '#service.ts'
import { oidc } from '#method/oidc.ts'
import { passkey } from '#method/passkey.ts'
import { password } from '#method/password.ts'
import { profile } from '#method/profile.ts'
import { securityKey } from '#method/security-key.ts'
import { totp } from '#method/totp.ts'
import type { IdentityOptions } from '#options.ts'

/** The enabled methods, in form order. */
export function enabledMethods({ methods: options = {}, organizations }: IdentityOptions): Method[] {
  const all: readonly (readonly [Method, boolean | undefined])[] = [
    [profile, true],
    [password, options.password],
    [codeSignIn, options.code === 'first'],
    [mailedFactor, options.code === 'second'],
    [oidc, (options.oidc ?? []).length > 0 || organizations !== undefined],
    [lookupSecret, options.lookupSecret],
    [securityKey, options.webauthn],
    [passkey, options.passkey],
    [totp, options.totp],
  ]
  return all.filter(([, isEnabled]) => isEnabled ?? true).map(([method]) => method)
}

/** Selects the method of a submission by its `method` field or, if that is missing, by its other fields. */
export function selectMethod(
  { methods }: Service,
  form: 'login' | 'secondFactor' | 'registration' | 'settings',
  fields: Fields,
): Method | undefined {
  const name = textOf(fields, 'method')
  return methods.find((method) => method[form] && (name ? method.name === name : method.matches?.(fields)))
}
