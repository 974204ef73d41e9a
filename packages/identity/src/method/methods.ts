/** Which methods there are, which of them are offered, and which one a submit means. */
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

/** Every method that the options ask for, in the order in which forms ask for them. */
export function methodsOf({ methods: wanted = {} }: IdentityOptions): Method[] {
  const all: readonly (readonly [Method, boolean | undefined])[] = [
    [profile, true],
    [password, wanted.password],
    [codeSignIn, wanted.code === 'first'],
    [mailedFactor, wanted.code === 'second'],
    [oidc, (wanted.oidc ?? []).length > 0],
    [lookupSecret, wanted.lookupSecret],
    [securityKey, wanted.webauthn],
    [passkey, wanted.passkey],
    [totp, wanted.totp],
  ]
  return all.filter(([, isWanted]) => isWanted ?? true).map(([method]) => method)
}

/**
 * The method of a submit that serves a kind of form: the one that is named or, where none is, the one
 * that knows its fields. Undefined when there is none.
 */
export function methodFor(
  { methods }: Service,
  form: 'login' | 'secondFactor' | 'registration' | 'settings',
  fields: Fields,
): Method | undefined {
  const name = textOf(fields, 'method')
  return methods.find((method) => method[form] && (name ? method.name === name : method.claims?.(fields)))
}
