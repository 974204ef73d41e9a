/**
 * Every setting: its name, meaning, and default. docs/settings.md is generated from this list, and a
 * test keeps it current.
 */
import { z } from 'zod'
import { callbackAddress, callbackAddressExpects } from './callbacks.ts'
import {
  ageRecipient,
  duration,
  feedKeys,
  feedSources,
  listenAddress,
  listenHost,
  listOf,
  network,
  origin,
  providers,
  safeUrl,
  sender,
  unitsMs,
  urlOf,
} from './setting-values.ts'

export const roles = ['api', 'identity', 'worker'] as const
export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** `expects` completes the error message "NAME must be …". */
interface Description {
  readonly expects: string
  readonly initial: string
  readonly meaning: string
}
const described = <T extends z.ZodType>(schema: T, description: Description) => schema.meta({ ...description })

export const Settings = z.object({
  GLACIS_PORT: described(z.coerce.number().int().min(1).max(65_535).default(3000), {
    expects: 'a port number from 1 to 65535',
    initial: '`3000`',
    meaning: 'The port to listen on.',
  }),
  GLACIS_HOST: described(listOf(listenHost).optional(), {
    expects: 'a comma-separated list of addresses to listen on',
    initial: '`127.0.0.1,::1`',
    meaning: 'The addresses to listen on. `0.0.0.0,::` opens Glacis to the network.',
  }),
  GLACIS_URL: described(origin.optional(), {
    expects: 'an origin such as https://glacis.example.org, without a path',
    initial: '`http://localhost:` followed by the port',
    meaning: 'The public URL of Glacis, if it runs behind a reverse proxy.',
  }),
  GLACIS_DATA: described(z.string().default('.glacis'), {
    expects: 'a folder',
    initial: '`./.glacis`',
    meaning:
      'The data folder: database, downloaded feeds, and outbox. Relative paths are resolved against the installation folder.',
  }),
  DATABASE_URL: described(urlOf(/^postgres(ql)?:\/\//).optional(), {
    expects: 'a URL such as postgresql://user:password@host/database',
    initial: 'the embedded PostgreSQL',
    meaning:
      'A PostgreSQL server (16 or later) to use instead of the embedded one. The user must own the database and be allowed to create a role.',
  }),
  GLACIS_DIRECT_DATABASE_URL: described(urlOf(/^postgres(ql)?:\/\//).optional(), {
    expects: 'a URL such as postgresql://user:password@host/database',
    initial: '`DATABASE_URL`',
    meaning:
      'The same database without a pooler, or through one in session mode. Required if `DATABASE_URL` is a pooler in transaction mode, because live events and immediate job starts need a session.',
  }),
  GLACIS_READ_DATABASE_URL: described(urlOf(/^postgres(ql)?:\/\//).optional(), {
    expects: 'a URL such as postgresql://user:password@replica/database',
    initial: 'none',
    meaning:
      "A streaming replica that serves lists and charts to signed-in users. It is used only while it is less than five seconds behind and contains the user's own changes.",
  }),
  GLACIS_ROLES: described(listOf(z.enum(roles)).default([...roles]), {
    expects: `a comma-separated list of ${roles.join(', ')}`,
    initial: '`api,identity,worker`',
    meaning: 'Which parts of Glacis this process runs.',
  }),
  GLACIS_DRAIN: described(duration.optional(), {
    expects: 'a duration such as 10s',
    initial: 'none: the process stops within five seconds',
    meaning:
      'How long a stopping process continues to serve requests while `/health/ready` responds with 503, so that a load balancer stops using it. Requests and scans in progress then have the same time to finish.',
  }),
  GLACIS_SMTP_URL: described(urlOf(/^smtps?:\/\//).optional(), {
    expects: 'a URL such as smtps://user:password@mail.example.org',
    initial: 'emails are written to `outbox/` in the data folder as `.eml` files',
    meaning: 'The SMTP server for outgoing email.',
  }),
  GLACIS_MAIL_FROM: described(sender.default('Glacis <glacis@localhost>'), {
    expects: 'an email address such as Glacis <glacis@example.org>',
    initial: '`Glacis <glacis@localhost>`',
    meaning: 'The sender of outgoing email.',
  }),
  GLACIS_SUPPORT_EMAIL: described(z.email().optional(), {
    expects: 'an email address such as security@example.org',
    initial: '`support@` followed by the host of `GLACIS_URL`',
    meaning: 'The contact address shown to users for help and account deletion.',
  }),
  GLACIS_IDENTITY_URL: described(origin.optional(), {
    expects: 'an origin such as https://id.example.org, without a path',
    initial: 'the embedded identity service',
    meaning: 'The public URL of an Ory Kratos server to use instead of the embedded identity service.',
  }),
  GLACIS_OIDC: described(providers.default([]), {
    expects:
      'a JSON list of providers or the path of a file containing one; each needs id, clientId, and issuer (or authorizationUrl, tokenUrl, and userinfoUrl), with https URLs',
    initial: 'none',
    meaning:
      'External identity providers (OpenID Connect), as a JSON list or the path of a file containing one: `[{"id": "acme", "label": "Acme", "issuer": "https://id.acme.example", "clientId": "…", "clientSecret": "…"}]`. For plain OAuth 2.0, set `authorizationUrl`, `tokenUrl`, and `userinfoUrl` instead of `issuer`. The callback path is `/self-service/methods/oidc/callback/` followed by the ID.',
  }),
  GLACIS_REGISTRATION: described(z.enum(['one-step', 'two-step', 'off']).default('one-step'), {
    expects: 'one-step, two-step, or off',
    initial: '`one-step`',
    meaning:
      'How users sign up: `one-step` uses a single form, `two-step` asks for the sign-in method on a second page. `off`: users can only be created with `npx glacis identity create`.',
  }),
  GLACIS_CODE_SIGN_IN: described(z.enum(['on', 'off', 'second-factor']).default('off'), {
    expects: 'on, off, or second-factor',
    initial: '`off`',
    meaning:
      'Lets users sign in and sign up with a code sent by email. `second-factor`: a code is required after the password instead.',
  }),
  GLACIS_BREACH_CHECK_URL: described(safeUrl.optional(), {
    expects: 'an https URL such as https://api.pwnedpasswords.com/range/',
    initial: 'only common passwords are rejected',
    meaning:
      'A service that checks new passwords against known breaches, in addition to the built-in list of common passwords, such as `https://api.pwnedpasswords.com/range/`. It receives only the first five characters of the SHA-1 hash.',
  }),
  GLACIS_CAPTCHA_SITE_KEY: described(z.string().min(1).optional(), {
    expects: 'a site key; GLACIS_CAPTCHA_SECRET is required too',
    initial: 'no challenge',
    meaning: 'The site key of a Cloudflare Turnstile challenge for sign-in, sign-up, recovery, and email verification.',
  }),
  GLACIS_CAPTCHA_SECRET: described(z.string().min(1).optional(), {
    expects: 'a secret key; GLACIS_CAPTCHA_SITE_KEY is required too',
    initial: 'no challenge',
    meaning: 'The secret key of the Turnstile challenge.',
  }),
  GLACIS_CAPTCHA_VERIFY_URL: described(safeUrl.default('https://challenges.cloudflare.com/turnstile/v0/siteverify'), {
    expects: 'an https URL',
    initial: 'the Turnstile endpoint',
    meaning: 'The URL that verifies challenge responses.',
  }),
  GLACIS_SESSION_LIFE: described(duration.default(unitsMs.d), {
    expects: 'a duration such as 24h',
    initial: '`24h`',
    meaning: 'The maximum lifetime of a session after sign-in, regardless of activity.',
  }),
  GLACIS_SESSION_IDLE: described(duration.default(8 * unitsMs.h), {
    expects: 'a duration such as 1h',
    initial: '`8h`',
    meaning: 'How long a session lasts without activity. An open page counts as activity only while it is visible.',
  }),
  GLACIS_PRIVILEGED_AGE: described(duration.default(unitsMs.h), {
    expects: 'a duration such as 1h',
    initial: '`1h`',
    meaning:
      'How long after sign-in users can change passwords, passkeys, and second factors without signing in again.',
  }),
  GLACIS_FLOW_LIFE: described(duration.default(unitsMs.h), {
    expects: 'a duration such as 1h',
    initial: '`1h`',
    meaning: 'How long a sign-in, sign-up, or settings form stays valid.',
  }),
  GLACIS_CODE_LIFE: described(duration.default(15 * unitsMs.m), {
    expects: 'a duration such as 15m',
    initial: '`15m`',
    meaning: 'How long a code sent by email is valid.',
  }),
  GLACIS_SCAN_NETWORKS: described(z.union([z.enum(['all', 'public']), listOf(network)]).default('all'), {
    expects: 'all, public, or a list of networks such as 10.0.0.0/8,2001:db8::/32',
    initial: '`all`',
    meaning:
      'Networks that scans may access, including those of `npx glacis scan`: `all`, `public` (no private or local addresses, except from agents), or a list, which also limits agents. Cloud metadata addresses are always blocked.',
  }),
  GLACIS_CALLBACKS: described(z.union([z.literal('off').transform(() => null), callbackAddress]).default(null), {
    expects: `off, or ${callbackAddressExpects}`,
    initial: '`off`: out-of-band checks are skipped',
    meaning:
      'The public address of the callback server for out-of-band checks, such as `203.0.113.7:8088` (HTTP and LDAP). DNS callbacks also need a domain that delegates to this machine: `{"host": "203.0.113.7", "port": 80, "domain": "calls.example.org", "dnsPort": 53, "listen": "10.0.0.5", "listenPort": 8088}`. Not available on agents.',
  }),
  GLACIS_WEBHOOK_NETWORKS: described(z.union([z.enum(['all', 'public']), listOf(network)]).default('public'), {
    expects: 'public, all, or a list of networks such as 10.0.0.0/8',
    initial: '`public`',
    meaning:
      'Destinations that workspaces may use for webhooks, Slack, Discord, and identity providers: `public` (https to public addresses), `all`, or a list of networks that are allowed in addition to public addresses, including over http. Cloud metadata addresses are always blocked.',
  }),
  GLACIS_KEEP_HISTORY: described(duration.default(400 * unitsMs.d), {
    expects: 'a duration such as 400d',
    initial: '`400d`',
    meaning: 'How long scans and the history of risks are kept. The current status of risks is never deleted.',
  }),
  GLACIS_KEEP_EVIDENCE: described(duration.default(90 * unitsMs.d), {
    expects: 'a duration such as 90d',
    initial: '`90d`',
    meaning: 'How long the evidence of resolved risks is kept.',
  }),
  GLACIS_BILLING: described(z.enum(['open', 'off']).default('open'), {
    expects: 'open or off (stripe is not supported in this release)',
    initial: '`open`',
    meaning:
      '`open`: plans are free and can be changed at any time. `off`: no plans, no limits, and no billing screens.',
  }),
  GLACIS_PACKS: described(listOf(z.string()).default([]), {
    expects: 'a comma-separated list of folders or files',
    initial: 'only the built-in packs',
    meaning:
      'Additional packs (nuclei templates, Recog fingerprints, CVE records): a comma-separated list of folders or files.',
  }),
  GLACIS_FEEDS: described(z.enum(['on', 'off']).default('off'), {
    expects: 'on or off',
    initial: '`on` with `npm start`, otherwise `off`',
    meaning:
      'Whether Glacis downloads public feeds: NVD, CISA KEV, EPSS, end-of-life dates, community templates, and more. If off, use `npx glacis packs import`.',
  }),
  GLACIS_FEED_SOURCES: described(feedSources.default({}), {
    expects: `a JSON object of URLs with the keys ${feedKeys.join(', ')}`,
    initial: 'the URLs of the publishers',
    meaning:
      'Alternative feed URLs, such as a mirror: `{"nvd": "https://mirror.example/nvd-{year}.json.gz", "cve5": ""}`. An empty URL disables a feed.',
  }),
  GLACIS_BACKUP: described(z.union([z.literal('off').transform(() => null), z.string()]).default(null), {
    expects: 'off, or a folder',
    initial: '`off`',
    meaning:
      'The folder for scheduled backups, which a worker writes. With several workers, set it for only one. Use a different disk than the database.',
  }),
  GLACIS_BACKUP_PERIOD: described(duration.default(unitsMs.d), {
    expects: 'a duration such as 24h',
    initial: '`24h`',
    meaning: 'The time between scheduled backups.',
  }),
  GLACIS_BACKUP_KEEP: described(z.coerce.number().int().min(1).max(10_000).default(7), {
    expects: 'a number from 1 to 10000',
    initial: '`7`',
    meaning: 'How many scheduled backups are kept.',
  }),
  GLACIS_BACKUP_RECIPIENTS: described(listOf(ageRecipient).default([]), {
    expects: 'a comma-separated list of age public keys, such as age1…',
    initial: 'none: backups are not encrypted',
    meaning: 'The age public keys that scheduled backups are encrypted for. Keep the secret keys elsewhere.',
  }),
  GLACIS_METRICS: described(z.union([z.literal('off').transform(() => null), listenAddress]).default(null), {
    expects: 'off, a port, or an address such as 10.0.0.5:9464',
    initial: '`off`',
    meaning:
      'The address that serves Prometheus metrics at `/metrics`; a port alone listens on `127.0.0.1`. Requests need no authentication, so expose it only to the monitoring system.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: described(urlOf(/^https?:\/\//).optional(), {
    expects: 'a URL such as http://127.0.0.1:4318',
    initial: 'no traces',
    meaning:
      'The OpenTelemetry collector that receives traces over OTLP. The other [variables of the SDK](https://opentelemetry.io/docs/languages/sdk-configuration/) apply as well, such as `OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_TRACES_SAMPLER`.',
  }),
  GLACIS_RELEASES: described(z.string().optional(), {
    expects: 'a folder',
    initial: 'no update notice',
    meaning:
      'A folder with release archives that you have downloaded. Administrators see a notice if it contains a newer release; Glacis never contacts a server to check for updates.',
  }),
  GLACIS_LOG_LEVEL: described(z.enum(levels).default('info'), {
    expects: `one of ${levels.join(', ')}`,
    initial: '`info`',
    meaning: `The minimum level of log lines: ${levels.map((level) => `\`${level}\``).join(', ')}. The log goes to standard error.`,
  }),
})

export type SettingName = keyof typeof Settings.shape
export const names = Object.keys(Settings.shape) as SettingName[] // Object.keys returns the keys of this shape
export const descriptionOf = (name: SettingName) => Settings.shape[name].meta() as unknown as Description // set by `described`

/** The sections of docs/settings.md, by their first setting. */
const sections: Partial<Record<SettingName, string>> = {
  GLACIS_PORT: 'Server',
  DATABASE_URL: 'Database and processes',
  GLACIS_SMTP_URL: 'Email',
  GLACIS_IDENTITY_URL: 'Users and sign-in',
  GLACIS_SCAN_NETWORKS: 'Scans',
  GLACIS_WEBHOOK_NETWORKS: 'Outgoing connections',
  GLACIS_KEEP_HISTORY: 'Retention and plans',
  GLACIS_PACKS: 'Packs and feeds',
  GLACIS_BACKUP: 'Scheduled backups',
  GLACIS_METRICS: 'Monitoring',
}

/** The tables of docs/settings.md, each below the heading of its section. */
export function settingsTables(): string {
  return names
    .map((name) => {
      const { initial, meaning } = descriptionOf(name)
      const title = sections[name]
      const head = title === undefined ? '' : `\n## ${title}\n\n| Name | Default | Meaning |\n|---|---|---|\n`
      return `${head}| \`${name}\` | ${initial} | ${meaning} |\n`
    })
    .join('')
}
