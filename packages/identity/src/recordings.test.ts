/** Compares responses with recordings of Kratos in four configurations. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IdentityOptions } from '#options.ts'
import { startTestOidcProvider } from '#testing/test-oidc-provider.ts'
import { codeCases, mailedFactorCases } from '#testing/recorded/code.ts'
import { webauthnCases } from '#testing/recorded/webauthn.ts'
import { loginCases } from '#testing/recorded/login.ts'
import { loginStartCases } from '#testing/recorded/login-start.ts'
import { setProvider, oidcCases } from '#testing/recorded/oidc.ts'
import { recoveryCases } from '#testing/recorded/recovery.ts'
import { registrationCases } from '#testing/recorded/registration.ts'
import { secondFactorCases } from '#testing/recorded/second-factor.ts'
import { sessionCases } from '#testing/recorded/session.ts'
import { settingsCases } from '#testing/recorded/settings.ts'
import { twoStepRegistrationCases } from '#testing/recorded/two-step-registration.ts'
import { verificationCases } from '#testing/recorded/verification.ts'
import { actualResponse, recordedResponse } from '#testing/recording.ts'
import { type Case, setIdentity } from '#testing/scenarios.ts'
import { createTestIdentity } from '#testing/test-identity.ts'

interface Configuration {
  readonly name: string
  readonly options: Partial<IdentityOptions>
  readonly cases: readonly Case[]
}

const configurations: readonly Configuration[] = [
  {
    name: 'default',
    options: {},
    cases: [
      ...webauthnCases,
      ...loginStartCases,
      ...loginCases,
      ...oidcCases,
      ...recoveryCases,
      ...registrationCases,
      ...secondFactorCases,
      ...sessionCases,
      ...settingsCases,
      ...verificationCases,
    ],
  },
  { name: 'two-step registration', options: { registrationStyle: 'two-step' }, cases: twoStepRegistrationCases },
  {
    name: 'emailed code as the first factor',
    options: { registrationStyle: 'two-step', methods: { code: 'first' } },
    cases: codeCases,
  },
  { name: 'emailed code as the second factor', options: { methods: { code: 'second' } }, cases: mailedFactorCases },
]

const other = await startTestOidcProvider(['local-op', 'second-op'])
afterAll(() => other.close())
setProvider(other)
const oidc = [other.optionsFor('local-op', 'Local OP'), other.optionsFor('second-op')]

describe.each(configurations)('$name', ({ options, cases }) => {
  beforeAll(async () => {
    const identity = await createTestIdentity({ ...options, methods: { ...options.methods, oidc } })
    setIdentity(identity)
    return () => identity[Symbol.asyncDispose]()
  })

  it.each(cases)('matches the recorded response of %s %i', async (name, exchange, run) => {
    expect(actualResponse(await run())).toEqual(recordedResponse(name, exchange))
  })
})
