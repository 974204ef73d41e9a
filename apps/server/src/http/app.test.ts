import { PortalConfig } from '@glacis/contract/portal-config'
import type { FastifyInstance } from 'fastify'
import { afterEach, expect, it } from 'vitest'
import { createApp } from '#http/app.ts'
import { createLogger } from '#log.ts'
import { plainPortalConfig } from '#testing/portal-config.ts'

const url = 'http://localhost:3000'
const atHome = plainPortalConfig(url)
let app: FastifyInstance
afterEach(() => app.close())

async function configOf(portalConfig: PortalConfig) {
  const log = createLogger({ level: 'silent' })
  app = await createApp({
    log,
    url,
    portalConfig,
    portalFolder: null,
    identity: null,
    api: null,
    isReady: async () => {},
  })
  return app.inject({ url: '/config.json' })
}

const elsewhere = { ...atHome, identityUrl: 'https://id.example.ch' }
const challenged = { ...atHome, botChallengeSiteKey: '0x4AAA' }
it.each<[string, PortalConfig, string]>([
  ['our own alone', atHome, "'self'"],
  ['our own and those of an identity service elsewhere', elsewhere, "'self' https://id.example.ch"],
  ['our own and those of a bot challenge', challenged, "'self' https://challenges.cloudflare.com"],
])('lets a page run these scripts: %s', async (_, portalConfig, sources) => {
  const answer = await configOf(portalConfig)
  const policy = String(answer.headers['content-security-policy']).split(';')
  expect(policy.find((directive) => directive.startsWith('script-src '))).toBe(`script-src ${sources}`)
})

it('tells the portal that mails are files, and not where', async () => {
  const answer = await configOf({ ...atHome, mailsAreFiles: true })
  expect(answer.json()).toEqual({ ...atHome, mailsAreFiles: true })
})

it('tells the portal how it is configured', async () => {
  const answer = await configOf(challenged)
  expect([PortalConfig.parse(answer.json()), answer.headers['cache-control']]).toEqual([challenged, 'no-cache'])
})
