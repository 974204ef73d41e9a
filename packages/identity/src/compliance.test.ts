/** Every public compliance case of the protocol, over HTTP, by its number. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressesClosed, recovering, verifying } from '#testing/compliance-addresses.ts'
import { loginCode } from '#testing/compliance-login-code.ts'
import { loginKeysAndProviders } from '#testing/compliance-login-keys.ts'
import { loginPassword } from '#testing/compliance-login-password.ts'
import { loginSecondFactor } from '#testing/compliance-login-second-factor.ts'
import { loginStart, loginWithoutPassword } from '#testing/compliance-login-start.ts'
import type { Chapter } from '#testing/compliance-play.ts'
import {
  breachedPassword,
  registrationClosed,
  registrationCode,
  registrationOneStep,
  registrationTwoSteps,
} from '#testing/compliance-registration.ts'
import { errors, script, sessions, signingOut } from '#testing/compliance-sessions.ts'
import { settingsKeysAndProviders, settingsSecondFactor, settleWith } from '#testing/compliance-settings-factors.ts'
import { settingsAccess, settingsProfile } from '#testing/compliance-settings-profile.ts'
import { type House, openHouse } from '#testing/house.ts'
import { type OtherService, openOtherService } from '#testing/other-service.ts'
import { playIn } from '#testing/play.ts'
import type { IdentityOptions } from '#options.ts'

/** Runs of consecutive numbers; those that are missing in between are not public. */
const numbers = [
  [1, 4],
  [6, 14],
  [16, 18],
  [20, 32],
  [34, 46],
  [48, 56],
  [58, 62],
  [64, 75],
  [77, 82],
  [84, 97],
  [99, 103],
  [105, 109],
  [111, 123],
  [125, 126],
  [128, 133],
  [135, 147],
  [149, 151],
  [153, 163],
  [165, 186],
  [188, 191],
  [193, 198],
  [200, 203],
  [205, 225],
  [227, 234],
  [236, 241],
] as const

/** Cases that cannot be played here, and why. */
const elsewhere: Readonly<Record<string, string>> = {
  '024': 'the identity schema of this product is fixed and has one identifier',
  '049': 'nothing makes a sign-in wait for a verified address; the portal asks for it instead',
  '077': 'security keys are second factors alone; passkeys are what signs in without a password',
  '078': 'security keys are second factors alone; passkeys are what signs in without a password',
  '225': 'there are no native flows and hence no session tokens; the product API has tokens of its own',
  '237': 'a browser plays it: e2e/identity.spec.ts',
  '238': 'a browser plays it: e2e/identity.spec.ts',
  '239': 'a browser plays it: e2e/identity.spec.ts',
  '240': 'a browser plays it: e2e/identity.spec.ts',
  '241': 'a browser plays it: e2e/identity.spec.ts',
}

type Options = Partial<IdentityOptions>
interface Place {
  readonly name: string
  readonly options: (other: OtherService, breaches: string) => Options
  readonly chapters: readonly Chapter[]
}
const providers = (other: OtherService) => [other.options('local-op', 'Local OP'), other.options('second-op')]

const places: readonly Place[] = [
  {
    name: 'in two steps, with everything',
    options: (other, breachCheckUrl) => ({
      registrationStyle: 'two-step',
      methods: { oidc: providers(other) },
      breachCheckUrl,
    }),
    chapters: [
      loginStart,
      loginPassword,
      loginSecondFactor,
      loginKeysAndProviders,
      registrationTwoSteps,
      verifying,
      recovering,
      settingsAccess,
      settingsProfile,
      settingsSecondFactor,
      settingsKeysAndProviders,
      signingOut,
      errors,
      sessions,
      script,
    ],
  },
  { name: 'in one step', options: () => ({}), chapters: [registrationOneStep] },
  {
    name: 'by code',
    options: (other) => ({ registrationStyle: 'two-step', methods: { code: 'first', oidc: providers(other) } }),
    chapters: [loginCode, registrationCode],
  },
  {
    name: 'closed',
    options: () => ({
      disabledFlows: ['registration', 'recovery', 'verification'],
      methods: { password: false, passkey: false, webauthn: false, totp: false, lookupSecret: false },
    }),
    chapters: [loginWithoutPassword, registrationClosed, addressesClosed],
  },
]

let other: OtherService
let breaches: Server
beforeAll(async () => {
  other = await openOtherService(['local-op', 'second-op'])
  settleWith(other)
  breaches = createServer(answerRange).listen(0, '127.0.0.1')
  await once(breaches, 'listening')
})
afterAll(async () => {
  await other?.close()
  breaches?.close()
})

/** The range search of breached passwords, which knows one. */
const answerRange: Parameters<typeof createServer>[1] = ({ url }, response) => {
  const digest = createHash('sha1').update(breachedPassword).digest('hex').toUpperCase()
  const isAsked = url === `/range/${digest.slice(0, 5)}`
  response.end(isAsked ? `0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n${digest.slice(5)}:37\r\n` : '')
}
function rangeUrl(): string {
  const address = breaches.address()
  return typeof address === 'object' ? `http://127.0.0.1:${address?.port}/range/` : ''
}

describe.each(places)('$name', ({ options, chapters }) => {
  let house: House
  beforeAll(async () => {
    house = await openHouse({ listens: true, hashing: { memory: 64, passes: 1 }, ...options(other, rangeUrl()) })
    playIn(house)
  })
  afterAll(() => house?.close())

  it.each(chapters.flatMap((chapter) => Object.entries(chapter)))('case %s', async (_number, play) => {
    await play()
  })
})

it('accounts for every case once', () => {
  const all = numbers.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String(first + index).padStart(3, '0')),
  )
  const played = places.flatMap(({ chapters }) => chapters.flatMap((chapter) => Object.keys(chapter)))
  expect([...played, ...Object.keys(elsewhere)].toSorted()).toEqual(all)
})
