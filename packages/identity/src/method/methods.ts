import type { Method } from '#method/method.ts'
import { password } from '#method/password.ts'
import { profile } from '#method/profile.ts'

/** Every method that the service offers, in the order in which forms ask for them. */
export const methods: readonly Method[] = [profile, password]

/** The method of a submit that serves a kind of form; undefined when there is none of that name. */
export function methodFor(
  form: 'login' | 'secondFactor' | 'registration' | 'settings',
  name: string,
): Method | undefined {
  return methods.find((method) => method.name === name && method[form])
}
