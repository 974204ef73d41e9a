/** Starts the server's modules in their own process and prints the packages that were loaded. */
import { registerHooks } from 'node:module'

const packages = new Set<string>()
registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
    if (name) packages.add(name)
    return next(url, context)
  },
})
await import('#compose.ts')
await import('#mail.ts')
const { createApp } = await import('#http/app.ts')
const { createLogger } = await import('#log.ts')
const { defaultPortalConfig } = await import('#testing/portal-config.ts')
const url = 'http://localhost:3000'
const app = await createApp({
  log: createLogger({ level: 'silent' }),
  url,
  portalConfig: defaultPortalConfig(url),
  portalFolder: null,
  identity: null,
  api: null,
  isReady: async () => undefined,
})
await app.ready()
process.stdout.write(JSON.stringify([...packages]))
await app.close()
