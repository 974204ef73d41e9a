/** Error messages of the wire protocol (IDs from 4000000). */
import { type Context, type Message, toUnix } from '#ui/message.ts'

const lastProvider = 'can not unlink OpenID Connect connection because it is the last remaining first factor credential'
const lastKeyReason = 'unable to remove this security key because it would lock you out of your account'

export const errorMessage = {
  generic: (reason: string) => error(4000001, reason, { reason }),
  required: (property: string) => error(4000002, `Property ${property} is missing.`, { property }),
  tooShort: (min: number, actual: number) =>
    error(4000003, `length must be >= ${min}, but got ${actual}`, { actual_length: actual, min_length: min }),
  tooLong: (max: number, actual: number) =>
    error(4000017, `length must be <= ${max}, but got ${actual}`, { actual_length: actual, max_length: max }),
  wrongType: (allowed: string, actual: string) =>
    error(4000026, `expected ${allowed}, but got ${actual}`, { actual_type: actual, allowed_types: [allowed] }),
  invalidCredentials: error(
    4000006,
    'The provided credentials are invalid, check for spelling mistakes in your password or username, email address, or phone number.',
  ),
  duplicateAccount: error(4000007, 'An account with the same identifier (email, phone, username, ...) exists already.'),
  totpWrong: error(4000008, 'The provided authentication code is invalid, please try again.'),
  totpMissing: error(4000011, 'You have no TOTP device set up.'),
  securityKeysMissing: error(4000013, 'You have no WebAuthn device set up.'),
  keyUnknown: error(4000015, 'This account does not exist or has no security key set up.'),
  lookupSecretUsed: error(4000012, 'This backup recovery code has already been used.'),
  lookupSecretsMissing: error(4000014, 'You have no backup recovery codes set up.'),
  lookupSecretWrong: error(4000016, 'The backup recovery code is not valid.'),
  lastKey: error(4000001, lastKeyReason, { reason: lastKeyReason }),
  lastProvider: error(4000001, lastProvider, { reason: lastProvider }),
  linkAfterSignIn: error(
    4000027,
    'An account with the same identifier (email, phone, username, ...) exists already. Please sign in to your existing account to link your social profile.',
  ),
  linkMismatch: error(4010009, 'Linked credentials do not match.'),
  providerError: (code: string, description: string) => {
    const reason = `Unable to complete OpenID Connect flow because the OpenID Provider returned error "${code}": ${description}`
    return error(4000001, reason, { reason })
  },
  captchaFailed: error(4000038, 'Captcha verification failed, please try again.'),
  passwordLikeIdentifier: error(4000031, 'The password can not be used because it is too similar to the identifier.'),
  passwordTooShort: (min: number, actual: number) =>
    error(4000032, `The password must be at least ${min} characters long, but got ${actual}.`, {
      actual_length: actual,
      min_length: min,
    }),
  passwordTooLong: (max: number, actual: number) =>
    error(4000033, `The password must be at most ${max} characters long, but got ${actual}.`, {
      actual_length: actual,
      max_length: max,
    }),
  passwordBreached: (breaches: number) =>
    error(4000034, 'The password has been found in data breaches and must no longer be used.', { breaches }),
  passwordUnchanged: error(4000039, 'The new password must be different from the old password.'),
  email: (value: string) => error(4000040, 'Enter a valid email address', { value }),
  loginExpired: expired(4010001, 'login'),
  signInCodeWrong: error(4010008, 'The login code is invalid or has already been used. Please try again.'),
  signUpCodeWrong: error(4040003, 'The registration code is invalid or has already been used. Please try again.'),
  traitsChanged: error(4000036, 'The provided traits do not match the traits previously associated with this flow.'),
  addressUnknown: error(4010010, 'The address you entered does not match any known addresses in the current account.'),
  loginNoMethod: error(4010002, 'Could not find a strategy to log you in with. Did you fill out the form correctly?'),
  registrationNoMethod: error(
    4010003,
    'Could not find a strategy to sign you up with. Did you fill out the form correctly?',
  ),
  settingsNoMethod: error(
    4010004,
    'Could not find a strategy to update your settings. Did you fill out the form correctly?',
  ),
  recoveryNoMethod: error(
    4010005,
    'Could not find a strategy to recover your account with. Did you fill out the form correctly?',
  ),
  verificationNoMethod: error(
    4010006,
    'Could not find a strategy to verify your account with. Did you fill out the form correctly?',
  ),
  accountDisabled: error(4010011, 'This account has been disabled. Please contact support for assistance.'),
  registrationExpired: expired(4040001, 'registration'),
  settingsExpired: expired(4050001, 'settings'),
  recoveryDone: error(4060001, 'The request was already completed successfully and can not be retried.'),
  recoveryExpired: expired(4060005, 'recovery'),
  recoveryCodeWrong: error(4060006, 'The recovery code is invalid or has already been used. Please try again.'),
  verificationDone: error(4070002, 'The request was already completed successfully and can not be retried.'),
  verificationExpired: expired(4070005, 'verification'),
  verificationCodeWrong: error(4070006, 'The verification code is invalid or has already been used. Please try again.'),
} as const

/** Message of a flow that replaces an expired one. */
function expired(id: number, flow: string) {
  return (expiredAt: Date, now: Date) =>
    error(id, `The ${flow} flow expired ${minutesBetween(expiredAt, now)} minutes ago, please try again.`, {
      expired_at: expiredAt.toISOString(),
      expired_at_unix: toUnix(expiredAt),
    })
}

/** Minutes between two times, with two decimals. */
export function minutesBetween(from: Date, to: Date): string {
  return ((to.getTime() - from.getTime()) / 60_000).toFixed(2)
}

function error(id: number, text: string, context?: Context): Message {
  return { id, text, type: 'error', ...(context && { context }) }
}
