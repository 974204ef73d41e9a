/**
 * The messages of the wire protocol. Ids are protocol data; clients act on them, so a text may be
 * improved and an id may not.
 */

export interface Message {
  readonly id: number
  readonly text: string
  readonly type: 'info' | 'success' | 'error'
  /** What the text was made of; absent when there is nothing. Keys are in alphabetical order. */
  readonly context?: Readonly<Record<string, unknown>>
}

/** A message and the form field it belongs to; `null` is the form as a whole. */
export interface PlacedMessage {
  readonly field: string | null
  readonly message: Message
}

type Context = Readonly<Record<string, unknown>>

/** Puts a message on a field. */
export function on(field: string, message: Message): PlacedMessage {
  return { field, message }
}

/** Puts a message on the form as a whole. */
export function onForm(message: Message): PlacedMessage {
  return { field: null, message }
}

/** Labels of fields and buttons. */
export const label = {
  signIn: info(1010001, 'Sign in'),
  signInWithPassword: info(1010022, 'Sign in with password'),
  totpCode: info(1010006, 'Authentication code'),
  lookupSecret: info(1010007, 'Backup recovery code'),
  useTotp: info(1010009, 'Use Authenticator'),
  useLookupSecret: info(1010010, 'Use backup recovery code'),
  sendSignInCode: info(1010015, 'Send sign in code'),
  signInCode: info(1070013, 'Login code'),
  sendSignUpCode: info(1040006, 'Send sign up code'),
  signUpCode: info(1070012, 'Registration code'),
  sendCodeTo: (address: string) => info(1010023, `Send code to ${address}`, { address, channel: 'email' }),
  securityKeySignIn: info(1010008, 'Sign in with hardware key'),
  passkeySignIn: info(1010021, 'Sign in with passkey'),
  signUp: info(1040001, 'Sign up'),
  signInWith: (provider: string, id: string) =>
    info(1010002, `Sign in with ${provider}`, { provider, provider_id: id }),
  signUpWith: (provider: string, id: string) =>
    info(1040002, `Sign up with ${provider}`, { provider, provider_id: id }),
  captcha: info(1070015, 'Please complete the captcha challenge to continue.'),
  back: info(1040008, 'Back'),
  continueSignUp: info(1040003, 'Continue'),
  link: (provider: string) => info(1050002, `Link ${provider}`, { provider }),
  unlink: (provider: string) => info(1050003, `Unlink ${provider}`, { provider }),
  passkeySignUp: info(1040007, 'Sign up with passkey'),
  addSecurityKey: info(1050012, 'Add security key'),
  securityKeyName: info(1050013, 'Name of the security key'),
  removeSecurityKey: (name: string, addedAt: Date) =>
    info(1050018, `Remove security key "${name}"`, keyContext(name, addedAt)),
  addPasskey: info(1050019, 'Add passkey'),
  removePasskey: (name: string, addedAt: Date) => info(1050020, `Remove passkey "${name}"`, keyContext(name, addedAt)),
  unlinkTotp: info(1050004, 'Unlink TOTP Authenticator App'),
  totpPicture: info(1050005, 'Authenticator app QR code'),
  totpSecret: info(1050017, 'This is your authenticator app secret. Use it if you can not scan the QR code.'),
  revealLookupSecrets: info(1050007, 'Reveal backup recovery codes'),
  regenerateLookupSecrets: info(1050008, 'Generate new backup recovery codes'),
  lookupSecrets: info(1050010, 'These are your back up recovery codes. Please keep them in a safe place!'),
  confirmLookupSecrets: info(1050011, 'Confirm backup recovery codes'),
  disableLookupSecrets: info(1050016, 'Disable this method'),
  verifyTotp: info(1070006, 'Verify code'),
  password: info(1070001, 'Password'),
  save: info(1070003, 'Save'),
  email: info(1070007, 'Email'),
  resend: info(1070008, 'Resend code'),
  continue: info(1070009, 'Continue'),
  recoveryCode: info(1070010, 'Recovery code'),
  verificationCode: info(1070011, 'Verification code'),
  /** The label of a field that the identity schema describes. */
  trait: (name: string, title: string) => info(1070002, title, { name, title }),
} as const

/** Texts that a form shows in their own place. */
export const shown = {
  totpSecret: (secret: string) => info(1050006, secret, { secret }),
  lookupSecret: (secret: string) => info(1050009, secret, { secret }),
  usedLookupSecret: (at: Date) => {
    const used = seconds(at)
    const text = `Secret was used at ${used.replace('T', ' ').replace('Z', ' +0000 UTC')}`
    return info(1050014, text, { used_at: used, used_at_unix: unix(at) })
  },
  lookupSecrets: (secrets: readonly Message[]) => {
    const texts = secrets.map(({ id, text }) => (id === 1050014 ? 'used' : text))
    return info(1050015, texts.join(', '), { secrets })
  },
} as const

/** What is said above a form. */
export const notice = {
  confirmIdentity: info(1010003, 'Please confirm this action by verifying that it is you.'),
  secondFactor: info(1010004, 'Please complete the second authentication challenge.'),
  signInCodeSent: info(
    1010014,
    "A code was sent to the address you provided. If you didn't receive it, please check the spelling of the address and try again.",
  ),
  signUpCodeSent: info(
    1040005,
    'A code has been sent to the address(es) you provided. If you have not received a message, check the spelling of the address and retry the registration.',
  ),
  chooseCredential: info(1040009, 'Please choose a credential to authenticate yourself with.'),
  saved: success(1050001, 'Your changes have been saved!'),
  recoveryCodeSent: info(
    1060003,
    'An email containing a recovery code has been sent to the email address you provided. If you have not received an email, check the spelling of the address and make sure to use the address you registered with.',
  ),
  verified: success(1080002, 'You successfully verified your email address.'),
  verificationCodeSent: info(
    1080003,
    'An email containing a verification code has been sent to the email address you provided. If you have not received an email, check the spelling of the address and make sure to use the address you registered with.',
  ),
  recovered: (until: Date, minutes: number) =>
    success(
      1060001,
      `You successfully recovered your account. Please change your password or set up an alternative login method (e.g. social sign in) within the next ${minutes.toFixed(2)} minutes.`,
      {
        privilegedSessionExpiresAt: until.toISOString(),
        privileged_session_expires_at: until.toISOString(),
        privileged_session_expires_at_unix: unix(until),
      },
    ),
} as const

const lastProvider = 'can not unlink OpenID Connect connection because it is the last remaining first factor credential'
const lockOut = 'unable to remove this security key because it would lock you out of your account'

/** What is wrong with what was sent. */
export const problem = {
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
  lastKey: error(4000001, lockOut, { reason: lockOut }),
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

function keyContext(name: string, addedAt: Date): Context {
  return { added_at: seconds(addedAt), added_at_unix: unix(addedAt), display_name: name }
}

/** A flow's form is replaced once it expired; the new one says so. */
function expired(id: number, flow: string) {
  return (expiredAt: Date, now: Date) =>
    error(id, `The ${flow} flow expired ${minutesBetween(expiredAt, now)} minutes ago, please try again.`, {
      expired_at: expiredAt.toISOString(),
      expired_at_unix: unix(expiredAt),
    })
}

/** Minutes from one moment to another with two decimals, as the texts show them. */
export function minutesBetween(from: Date, to: Date): string {
  return ((to.getTime() - from.getTime()) / 60_000).toFixed(2)
}

/** A moment in UTC without fractions of a second. */
function seconds(moment: Date): string {
  return moment.toISOString().replace(/\.\d+Z$/, 'Z')
}

function unix(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}

function info(id: number, text: string, context?: Context): Message {
  return { id, text, type: 'info', ...(context && { context }) }
}
function success(id: number, text: string, context?: Context): Message {
  return { id, text, type: 'success', ...(context && { context }) }
}
function error(id: number, text: string, context?: Context): Message {
  return { id, text, type: 'error', ...(context && { context }) }
}
