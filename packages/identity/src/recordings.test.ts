/** Our answers beside the recorded ones. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type House, openHouse } from '#testing/house.ts'
import { type OtherService, openOtherService } from '#testing/other-service.ts'
import { playIn } from '#testing/play.ts'
import { keyCases } from '#testing/recorded/keys.ts'
import { loginCases } from '#testing/recorded/login.ts'
import { comeFrom, oidcCases } from '#testing/recorded/oidc.ts'
import { recoveryCases } from '#testing/recorded/recovery.ts'
import { registrationCases } from '#testing/recorded/registration.ts'
import { secondFactorCases } from '#testing/recorded/second-factor.ts'
import { sessionCases } from '#testing/recorded/session.ts'
import { settingsCases } from '#testing/recorded/settings.ts'
import { verificationCases } from '#testing/recorded/verification.ts'
import { ownAnswer, recordedAnswer } from '#testing/recording.ts'

let house: House
let other: OtherService
beforeAll(async () => {
  other = await openOtherService(['local-op', 'second-op'])
  comeFrom(other)
  house = await openHouse({ methods: { oidc: [other.options('local-op', 'Local OP'), other.options('second-op')] } })
  playIn(house)
})
afterAll(async () => {
  await house?.close()
  await other?.close()
})

const cases = [
  ...keyCases,
  ...loginCases,
  ...oidcCases,
  ...recoveryCases,
  ...registrationCases,
  ...secondFactorCases,
  ...sessionCases,
  ...settingsCases,
  ...verificationCases,
]

describe('answers as recorded', () => {
  it.each(cases.map(([name, exchange, play]) => [`${name} ${exchange}`, name, exchange, play] as const))(
    '%s',
    async (_title, name, exchange, play) => {
      expect(ownAnswer(await play())).toEqual(recordedAnswer(name, exchange))
    },
  )
})
