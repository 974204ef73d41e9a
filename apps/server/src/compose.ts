/** Creates all long-lived components and closes them. */
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { resolveTxt } from 'node:dns/promises'
import { type IdentityAdmin, createIdentity, createIdentityAdmin } from '@glacis/identity'
import { installValidationMessages } from '@glacis/contract/validation-messages'
import { startBackground } from '#background.ts'
import { callbackEndpoints, startCallbacks } from '#callbacks.ts'
import { scheduleBackups } from '#backups/index.ts'
import { checkRunning } from '#commands/doctor/running.ts'
import type { Config } from '#config.ts'
import { type Database, openDatabase } from '#database/index.ts'
import { explainDatabase } from '#database/explain.ts'
import { signPagesWith } from '#database/page.ts'
import { migrate } from '#database/migrate.ts'
import { ownEndpoints } from '#endpoints.ts'
import { mountApi } from '#http/api.ts'
import { createApp } from '#http/app.ts'
import { createGuard } from '#http/guard.ts'
import { createRequestCounts } from '#request-counts.ts'
import { type Listeners, listenOnAll } from '#http/listen.ts'
import { createIdentityAudit } from '#identity-audit.ts'
import { deliverMention } from '#issues/index.ts'
import { createJobs, mailJobs } from '#jobs.ts'
import { listenLive } from '#live.ts'
import { createMetrics } from '#metrics.ts'
import type { Logger } from '#log.ts'
import type { Mailer } from '#mail.ts'
import {
  cacheFolderOf,
  createFeedUpdater,
  createPackArchives,
  createSharedSets,
  downloadedFolders,
  loadKnowledge,
  packFolders,
  syncPacks,
} from '#packs/index.ts'
import { encryptEventIdsWith } from '#notifications/index.ts'
import { isWithinNetworks } from '#networks.ts'
import { signInNetworks } from '#installation/index.ts'
import { createOutboundFetch } from '#outbound-fetch.ts'
import { portalConfig } from '#portal-config.ts'
import { traceRequests } from '#tracing.ts'
import { createWhoami } from '#whoami.ts'
import { createMemberships, deliverInvitation, organizations } from '#workspaces/index.ts'
import { sql } from 'kysely'

export interface Composition {
  /** Resolves when the server listens on every address. */
  listen(): Promise<void>
  /** Stops in order; with `drainMs`, only after load balancers have noticed and running work has had time to finish. */
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
 * Maximum sign-ups per client address in 15 minutes. A local installation only needs protection against accidents.
 */
const signUpsMax = { local: 2000, public: 20 } as const

const concurrentMails = 2

/** The relying party ID must be a domain, not an IP address: WebAuthn Level 3, section 5.1.3. */
const passkeysUnavailable = 'passkeys unavailable because GLACIS_URL is an IP address'

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '')
}

function isLocal(url: string): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname)
}

/** Migrates the database, then creates the components of `config.roles`. */
export async function compose({ config, databaseUrl, log, mailer, root }: ComposeOptions): Promise<Composition> {
  installValidationMessages()
  const has = (role: Config['roles'][number]) => config.roles.includes(role)
  const callbacks =
    config.callbacks && has('worker') ? await startCallbacks(config.callbacks, 'GLACIS_CALLBACKS') : null
  if (callbacks) log.info({ ...callbacks.endpoint, dns: callbacks.dnsPort !== null }, 'callback server started')
  const database = openDatabase(databaseUrl, log, {
    isUnlimited: config.billing === 'off',
    replicaUrl: has('api') ? config.readDatabaseUrl : undefined,
  })
  await migrate(database.owner).catch((error: unknown) => {
    throw explainDatabase(error)
  })
  const secret = await installationSecret(database)
  signPagesWith(secret)
  encryptEventIdsWith(secret)
  const jobs = createJobs(databaseUrl, log, { supervise: has('worker') })
  await jobs.prepare(database.owner)
  const site = { url: config.url, hasOwnIdentity: config.identityUrl === undefined }
  const memberships = createMemberships(database, { ...site, ...config.signIn.lifespans })
  const outbound = createOutboundFetch(config.webhookNetworks)
  const people = createIdentityAdmin({ database: database.owner, enqueueMail: mailJobs(jobs) })
  const identityAudit = createIdentityAudit(database, people, memberships, log)
  const identity = config.identityUrl
    ? null
    : createIdentity({
        database: database.owner,
        publicUrl: config.url,
        portalUrl: config.url,
        lifespans: config.signIn.lifespans,
        captcha: config.signIn.captcha,
        ...(config.signIn.registration === 'off'
          ? { disabledFlows: ['registration'] as const }
          : { registrationStyle: config.signIn.registration }),
        organizations: organizations({ database, secret, fetch: outbound, log }),
        methods: { oidc: config.signIn.providers, code: config.signIn.codes },
        breachCheckUrl: config.signIn.breachCheckUrl,
        isAllowedAddress: async (ip) => isWithinNetworks(await signInNetworks(database), ip),
        secret,
        signUpsMax: isLocal(config.url) ? signUpsMax.local : signUpsMax.public,
        enqueueMail: mailJobs(jobs),
        deliver: (mail) => mailer.deliver(mail),
        log,
        onEvent: identityAudit.record,
      })
  const packsFolder = join(config.dataFolder, 'packs')
  const ownPacks = { ...packFolders(root, config.packs), cache: cacheFolderOf(packsFolder) }
  await syncPacks(database.owner, ownPacks, log)
  const downloaded = await downloadedFolders(packsFolder)
  const sharedSets = createSharedSets(database.owner, packsFolder, log)
  if (has('api') || has('worker')) await sharedSets.start()
  // Downloaded packs were imported when they arrived, so only scans need their folders.
  const packs = {
    ...ownPacks,
    checks: [...ownPacks.checks, downloaded.checks],
    fingerprints: [...ownPacks.fingerprints, downloaded.fingerprints],
  }
  const guard = createGuard(
    config.identityUrl
      ? createWhoami(config.identityUrl, log)
      : async (...request) => identity?.whoami(...request) ?? null,
    memberships,
    [config.url],
    database,
  )
  const live = await listenLive(config.directDatabaseUrl ?? databaseUrl, log)
  live.onJob(jobs.wake)
  const scanning = {
    database,
    jobs,
    log,
    packs,
    knowledge: await loadKnowledge(packs, log),
    startTime: new Date(),
    networks: config.scanNetworks,
    ownEndpoints: [...(await ownEndpoints(config)), ...(config.callbacks ? callbackEndpoints(config.callbacks) : [])],
    callbacks,
  }
  const runner = { scanning, archives: createPackArchives(packs) }
  let isStopping = false
  const requestCounts = createRequestCounts(database.owner, log)
  const metrics = config.metrics && createMetrics({ database, jobs, log, backupFolder: config.backup?.folder })
  const app = await createApp({
    log,
    observe(scope) {
      metrics?.observe(scope)
      traceRequests(scope)
    },
    url: config.url,
    rateLimitStore: requestCounts.Store,
    portalConfig: portalConfig(config),
    portalFolder: has('api') ? join(root, 'apps/portal/dist') : null,
    identity: identity && has('identity') ? identity.plugin : null,
    api: has('api')
      ? (scope) =>
          mountApi(scope, {
            database,
            jobs,
            guard,
            live,
            mailer,
            egress: config.webhookNetworks,
            root,
            url: config.url,
            secret,
            resolveTxt,
            signIn: {
              ...site,
              secret,
              egress: config.webhookNetworks,
              fetch: outbound,
              revokeSessions: people.revokeProviderSessions,
            },
            findPerson: config.identityUrl ? async () => null : (email) => personWith(people, email),
            feeds: config.feeds,
            knowledge: scanning.knowledge,
            scanNetworks: config.scanNetworks,
            administration: {
              database,
              jobs,
              mailer,
              people: config.identityUrl ? null : people,
              config,
              check: () => checkRunning(config, database),
            },
            runner,
          })
      : null,
    isReady: async () => void (await sql`select 1`.execute(database.owner)),
    isStopping: () => isStopping,
  })
  if (identity && has('identity')) {
    if (isIP(hostOf(config.url))) log.warn({ url: config.url }, passkeysUnavailable)
    await identity.start()
  }
  if (has('worker')) {
    const feedUpdater =
      config.feeds &&
      (await createFeedUpdater({ owner: database.owner, databaseUrl, packsFolder, log, addresses: config.feeds }))
    const sending = {
      database,
      mailer,
      egress: config.webhookNetworks,
      url: config.url,
      log,
      live,
      retention: config.retention,
      signInLimits: config.signIn.lifespans,
    }
    const backups = config.backup && scheduleBackups(config.backup, { databaseUrl, packs: packsFolder }, log)
    await startBackground(scanning, sending, { feedUpdater, backups })
    const mailing = { database, mailer, url: config.url, secret, log }
    await jobs.work('invitation', concurrentMails, (work) => deliverInvitation(mailing, work))
    await jobs.work('mention', concurrentMails, (work) => deliverMention(mailing, work))
    if (identity) await jobs.work('mail', concurrentMails, ({ data }) => identity.deliverMail(data.mailId))
  }
  let listeners: Listeners | undefined
  return {
    async listen() {
      await app.ready()
      if (metrics && config.metrics) await metrics.listen(config.metrics)
      listeners = await listenOnAll(config.hosts, config.port, (request, response) => app.routing(request, response))
    },
    async close() {
      isStopping = true
      const working = jobs.stopWork(config.drainMs)
      if (has('api') || has('identity')) await wait(config.drainMs)
      // Ends event streams. Requests in progress may still use everything else.
      const closed = app.close()
      await listeners?.close(config.drainMs)
      await Promise.all([closed, working, metrics?.close(), identity?.close()])
      await Promise.all([jobs.close(), identityAudit.flush(), sharedSets.close(), requestCounts.close()])
      await callbacks?.close()
      await live.close()
      mailer.close()
      await database.close()
    },
  }
}

async function personWith(people: IdentityAdmin, email: string) {
  const found = await people.findVerified(email)
  return found && { id: found.id, name: `${found.name.first} ${found.name.last}`.trim() }
}

/** The installation's secret, created at the first start. It is stored so that sessions and codes survive restarts. */
async function installationSecret(database: Database): Promise<string> {
  await database.owner
    .insertInto('installation')
    .values({ secret: randomBytes(32).toString('hex') })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { secret } = await database.owner.selectFrom('installation').select('secret').executeTakeFirstOrThrow()
  return secret
}
