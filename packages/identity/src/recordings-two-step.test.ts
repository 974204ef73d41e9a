/** Our answers beside the recorded ones, where people sign up in two steps. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type House, openHouse } from '#testing/house.ts'
import { type OtherService, openOtherService } from '#testing/other-service.ts'
import { playIn } from '#testing/play.ts'
import { comeFrom } from '#testing/recorded/oidc.ts'
import { twoStepCases } from '#testing/recorded/two-step.ts'
import { ownAnswer, recordedAnswer } from '#testing/recording.ts'

let house: House
let other: OtherService
beforeAll(async () => {
  other = await openOtherService(['local-op', 'second-op'])
  comeFrom(other)
  house = await openHouse({
    registrationStyle: 'two-step',
    methods: { oidc: [other.options('local-op', 'Local OP'), other.options('second-op')] },
  })
  playIn(house)
})
afterAll(async () => {
  await house?.close()
  await other?.close()
})

const cases = twoStepCases

describe('answers as recorded', () => {
  it.each(cases.map(([name, exchange, play]) => [`${name} ${exchange}`, name, exchange, play] as const))(
    '%s',
    async (_title, name, exchange, play) => {
      expect(ownAnswer(await play())).toEqual(recordedAnswer(name, exchange))
    },
  )
})
