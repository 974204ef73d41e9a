/** Our answers beside the recorded ones, where codes are mailed to sign people in and up. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type House, openHouse } from '#testing/house.ts'
import { type OtherService, openOtherService } from '#testing/other-service.ts'
import { playIn } from '#testing/play.ts'
import { codeCases, mailedFactorCases } from '#testing/recorded/code.ts'
import { ownAnswer, recordedAnswer } from '#testing/recording.ts'

const places = [
  { name: 'in place of a password', code: 'first', style: 'two-step', cases: codeCases },
  { name: 'after the password', code: 'second', style: 'one-step', cases: mailedFactorCases },
] as const

describe.each(places)('$name', ({ code, style, cases }) => {
  let house: House
  let other: OtherService
  beforeAll(async () => {
    other = await openOtherService(['local-op', 'second-op'])
    const oidc = [other.options('local-op', 'Local OP'), other.options('second-op')]
    house = await openHouse({ registrationStyle: style, methods: { code, oidc } })
    playIn(house)
  })
  afterAll(async () => {
    await house?.close()
    await other?.close()
  })

  it.each(cases.map(([name, exchange, play]) => [`${name} ${exchange}`, name, exchange, play] as const))(
    'answers %s as recorded',
    async (_title, name, exchange, play) => {
      expect(ownAnswer(await play())).toEqual(recordedAnswer(name, exchange))
    },
  )
})
