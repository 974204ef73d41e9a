/** Builds everything that lives long, once, and takes it down again. */
import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { createIdentity, migrations as identityMigrations } from '@glacis/identity'
import type { PortalConfig } from '@glacis/contract/portal-config'
import { speakOwnMessages } from '@glacis/contract/validation-messages'
import { recordIdentityEvent } from '#audit.ts'
import { createAccounts } from '#accounts.ts'
import { startBackground } from '#background.ts'
import type { Config } from '#config.ts'
import { type Database, openDatabase } from '#database/index.ts'
import { explainDatabase } from '#database/explain.ts'
import { migrate } from '#database/migrate.ts'
import { migrations } from '#database/migrations.ts'
import { mountApi } from '#http/api.ts'
import { createApp } from '#http/app.ts'
import { createGuard } from '#http/guard.ts'
import { createJobs } from '#jobs.ts'
import type { Logger } from '#log.ts'
import type { Mailer } from '#mail.ts'
import { loadKnowledge, packFolders, syncPacks } from '#packs/index.ts'
import { version } from '#version.ts'
import { askOver } from '#whoami.ts'
import { sql } from 'kysely'

export interface Composition {
  /** Resolves when every address is listened on. */
  listen(): Promise<void>
  close(): Promise<void>
}

export interface ComposeOptions {
  readonly config: Config
  readonly databaseUrl: string
  readonly log: Logger
  readonly mailer: Mailer
  /** Folder of the project: its packs and the built portal. */
  readonly root: string
}

/**
 * Sign-ups from one address in a quarter of an hour. Where only this machine and those beside it
 * reach us, the bound is there against accidents alone.
 */
const signUpsMax = { local: 2000, public: 20 } as const

function isLocal(url: string): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname)
}

/** Migrates the database, then builds the parts that `config.roles` names. */
export async function compose({ config, databaseUrl, log, mailer, root }: ComposeOptions): Promise<Composition> {
  speakOwnMessages()
  const database = openDatabase(databaseUrl, log, { isUnlimited: config.billing === 'off' })
  const has = (role: Config['roles'][number]) => config.roles.includes(role)
  await migrate(database.owner, [...migrations, ...identityMigrations]).catch((error: unknown) => {
    throw explainDatabase(error)
  })
  const jobs = createJobs(databaseUrl, log, { supervise: has('worker') })
  await jobs.prepare(database.owner)
  const identity = config.identityUrl
    ? null
    : createIdentity({
        database: database.owner,
        publicUrl: config.url,
        portalUrl: config.url,
        lifespans: config.signIn.lifespans,
        captcha: config.signIn.captcha,
        registrationStyle: config.signIn.registration,
        methods: { oidc: config.signIn.providers, code: config.signIn.hasCodes },
        secret: await secretOf(database),
        signUpsMax: isLocal(config.url) ? signUpsMax.local : signUpsMax.public,
        deliver: (mail) => mailer.deliver(mail),
        log,
        onEvent: (event) => {
          recordIdentityEvent(database, event).catch((error: unknown) => {
            log.error({ err: error, kind: event.kind }, 'an identity event is missing from the audit trail')
          })
        },
      })
  const packs = packFolders(root, config.packs)
  await syncPacks(database.owner, packs, log)
  const guard = createGuard(
    config.identityUrl ? askOver(config.identityUrl, log) : (headers) => whoamiOf(identity, headers),
    createAccounts(database),
    [config.url],
  )
  const app = await createApp({
    log,
    url: config.url,
    portalConfig: portalConfig(config),
    portalFolder: has('api') ? join(root, 'apps/portal/dist') : null,
    identity: identity && has('identity') ? identity.plugin : null,
    api: has('api') ? (scope) => mountApi(scope, { database, jobs, guard, root, url: config.url }) : null,
    isReady: async () => void (await sql`select 1`.execute(database.app)),
  })
  if (identity && has('identity')) await identity.start()
  if (has('worker')) {
    await startBackground({
      database,
      jobs,
      log,
      packs,
      knowledge: await loadKnowledge(packs, log),
      networks: config.scanNetworks,
      ownEndpoints: ownEndpoints(config),
    })
  }
  const servers: Server[] = []
  return {
    async listen() {
      await app.ready()
      for (const host of config.hosts)
        servers.push(await listenOn(host, config.port, (request, response) => app.routing(request, response)))
    },
    async close() {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
      await Promise.all([app.close(), jobs.close(), identity?.close()])
      mailer.close()
      await database.close()
    },
  }
}

async function whoamiOf(
  identity: ReturnType<typeof createIdentity> | null,
  headers: Parameters<ReturnType<typeof createIdentity>['whoami']>[0],
) {
  return identity ? identity.whoami(headers) : null
}

function portalConfig(config: Config): PortalConfig {
  return {
    apiUrl: config.url,
    portalUrl: config.url,
    identityUrl: config.identityUrl ?? config.url,
    apiDocsUrl: `${config.url}/docs/api`,
    releaseNotesUrl: `${config.url}/docs/releases`,
    licenceUrl: `${config.url}/docs/licence`,
    helpUrl: `${config.url}/docs/help`,
    supportEmail: `support@${new URL(config.url).hostname}`,
    botChallengeSiteKey: config.signIn.captcha?.siteKey ?? '',
    version,
    billing: config.billing !== 'off',
  }
}

/** The installation's own secret, made at the first start. It survives restarts, so that sessions and codes do. */
async function secretOf(database: Database): Promise<string> {
  await database.owner
    .insertInto('installation')
    .values({ secret: randomBytes(32).toString('hex') })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { secret } = await database.owner.selectFrom('installation').select('secret').executeTakeFirstOrThrow()
  return secret
}

/** Every `address:port` under which this machine reaches us; scans leave them alone. */
function ownEndpoints({ hosts, port }: Config): string[] {
  const isAny = hosts.some((host) => host === '0.0.0.0' || host === '::')
  const all = Object.values(networkInterfaces()).flatMap((list) => list?.map((one) => one.address) ?? [])
  const addresses = isAny
    ? [...all, '127.0.0.1', '::1']
    : hosts.map((host) => (host === 'localhost' ? '127.0.0.1' : host))
  return addresses.map((address) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`))
}

async function listenOn(host: string, port: number, answer: Parameters<typeof createServer>[1]): Promise<Server> {
  const server = createServer({ requestTimeout: 30_000 }, answer)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host, port, ipv6Only: host.includes(':') }, resolve)
  await promise
  return server
}
