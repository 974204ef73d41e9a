/** Our answers next to the recorded ones, in the four configurations that were recorded. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IdentityOptions } from '#options.ts'
import { openOtherService } from '#testing/other-service.ts'
import { codeCases, mailedFactorCases } from '#testing/recorded/code.ts'
import { keyCases } from '#testing/recorded/keys.ts'
import { loginCases } from '#testing/recorded/login.ts'
import { comeFrom, oidcCases } from '#testing/recorded/oidc.ts'
import { recoveryCases } from '#testing/recorded/recovery.ts'
import { registrationCases } from '#testing/recorded/registration.ts'
import { secondFactorCases } from '#testing/recorded/second-factor.ts'
import { sessionCases } from '#testing/recorded/session.ts'
import { settingsCases } from '#testing/recorded/settings.ts'
import { twoStepCases } from '#testing/recorded/two-step.ts'
import { verificationCases } from '#testing/recorded/verification.ts'
import { ownAnswer, recordedAnswer } from '#testing/recording.ts'
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
      ...keyCases,
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
  { name: 'registration in two steps', options: { registrationStyle: 'two-step' }, cases: twoStepCases },
  {
    name: 'mailed code instead of a password',
    options: { registrationStyle: 'two-step', methods: { code: 'first' } },
    cases: codeCases,
  },
  { name: 'mailed code as second factor', options: { methods: { code: 'second' } }, cases: mailedFactorCases },
]

const other = await openOtherService(['local-op', 'second-op'])
afterAll(() => other.close())
comeFrom(other)
const oidc = [other.options('local-op', 'Local OP'), other.options('second-op')]

describe.each(configurations)('$name', ({ options, cases }) => {
  beforeAll(async () => {
    const identity = await createTestIdentity({ ...options, methods: { ...options.methods, oidc } })
    setIdentity(identity)
    return () => identity[Symbol.asyncDispose]()
  })

  it.each(cases)('answers %s %i as recorded', async (name, exchange, play) => {
    expect(ownAnswer(await play())).toEqual(recordedAnswer(name, exchange))
  })
})
