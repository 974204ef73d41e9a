/** UI messages of the wire protocol; see `error-message.ts` for errors. Clients depend on the IDs. */

export interface Message {
  readonly id: number
  readonly text: string
  readonly type: 'info' | 'success' | 'error'
  /** Values used in the text, with keys in alphabetical order. Omitted if empty. */
  readonly context?: Readonly<Record<string, unknown>>
}

/** A message for a form field, or for the whole form if the field is null. */
export interface FieldMessage {
  readonly field: string | null
  readonly message: Message
}

export type Context = Readonly<Record<string, unknown>>

export function onField(field: string, message: Message): FieldMessage {
  return { field, message }
}

export function onForm(message: Message): FieldMessage {
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
  /** Label of a trait field. */
  trait: (name: string, title: string) => info(1070002, title, { name, title }),
} as const

/** Contents of text nodes. */
export const nodeText = {
  totpSecret: (secret: string) => info(1050006, secret, { secret }),
  lookupSecret: (secret: string) => info(1050009, secret, { secret }),
  usedLookupSecret: (at: Date) => {
    const used = toSeconds(at)
    const text = `Secret was used at ${used.replace('T', ' ').replace('Z', ' +0000 UTC')}`
    return info(1050014, text, { used_at: used, used_at_unix: toUnix(at) })
  },
  lookupSecrets: (secrets: readonly Message[]) => {
    const texts = secrets.map(({ id, text }) => (id === 1050014 ? 'used' : text))
    return info(1050015, texts.join(', '), { secrets })
  },
} as const

/** Messages shown above a form. */
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
        privileged_session_expires_at_unix: toUnix(until),
      },
    ),
} as const

function keyContext(name: string, addedAt: Date): Context {
  return { added_at: toSeconds(addedAt), added_at_unix: toUnix(addedAt), display_name: name }
}

/** UTC timestamp without fractional seconds. */
function toSeconds(moment: Date): string {
  return moment.toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Unix time in whole seconds. */
export function toUnix(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}

function info(id: number, text: string, context?: Context): Message {
  return { id, text, type: 'info', ...(context && { context }) }
}
function success(id: number, text: string, context?: Context): Message {
  return { id, text, type: 'success', ...(context && { context }) }
}
