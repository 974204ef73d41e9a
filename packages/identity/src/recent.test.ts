import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPeople } from '#people.ts'
import { type House, complete, newAddress, openHouse, register } from '#testing/house.ts'

let house: House
beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house?.close())

async function member() {
  const browser = house.browser()
  const email = newAddress()
  const { body } = await register(browser, email)
  await browser.get('/sessions/whoami')
  return { browser, email, id: body.identity.id }
}

it('sees at once what this process has changed', async () => {
  const { browser, email } = await member()
  const traits = { email, name: { first: 'Jane', last: 'Frost' } }
  await complete(browser, '/self-service/settings/browser', { method: 'profile', traits })
  expect((await browser.get('/sessions/whoami')).body.identity.traits.name.first).toBe('Jane')
  const kept = new Map(browser.jar)
  await browser.get((await browser.get('/self-service/logout/browser')).body.logout_url)
  for (const [name, value] of kept) browser.jar.set(name, value)
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
})

it('sees soon what another process has changed, and when a session is over', async () => {
  const { browser, id } = await member()
  await openPeople({ database: house.database.db }).setState(id, 'inactive')
  house.advance(501)
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
  const other = await member()
  house.advance(24 * 3600_000)
  expect((await other.browser.get('/sessions/whoami')).status).toBe(401)
})
