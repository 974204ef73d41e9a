import type { RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

const list = '{"accessories":[{"aid":1,"services":[{"type":"3E","iid":1,"characteristics":[]}]}]}'

function accessoryServer(status: number, body: string, type = 'application/hap+json'): RequestListener {
  return (request, response) => {
    const isList = request.url === '/accessories'
    response.writeHead(isList ? status : 404, { 'Content-Type': type }).end(isList ? body : '{"status":-70409}')
  }
}

it('finds an accessory server that lists its accessories to unpaired clients', async () => {
  expect(await findOnSite(accessoryServer(200, list))).toContain('homekit-insecure-mode')
})

it.each([
  ['a server that requires pairing', accessoryServer(470, '{"status":-70401}')],
  ['a server of another protocol', accessoryServer(200, list, 'application/json')],
])('finds nothing on %s', async (_, server) => {
  expect(await findOnSite(server)).not.toContain('homekit-insecure-mode')
})
