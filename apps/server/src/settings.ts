/**
 * The settings: every name, its meaning and its default stand here and nowhere else. The table in
 * the README is made from this list and a test keeps them the same.
 */
import { z } from 'zod'
import { callbackPlace, callbackPlaceExpects } from './callbacks.ts'
import {
  duration,
  feedKeys,
  feedSources,
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

/** `expects` completes "NAME must be …". */
interface Described {
  readonly expects: string
  readonly initial: string
  readonly meaning: string
}
const described = <T extends z.ZodType>(schema: T, words: Described) => schema.meta({ ...words })

export const Settings = z.object({
  GLACIS_PORT: described(z.coerce.number().int().min(1).max(65_535).default(3000), {
    expects: 'a port number from 1 to 65535',
    initial: '`3000`',
    meaning: 'The port to listen on.',
  }),
  GLACIS_HOST: described(listOf(listenHost).optional(), {
    expects: 'one or several addresses to listen on, separated by commas',
    initial: '`127.0.0.1,::1`',
    meaning: 'The addresses to listen on. `0.0.0.0,::` opens Glacis to the network.',
  }),
  GLACIS_URL: described(origin.optional(), {
    expects: 'an origin such as https://glacis.example.org, without a path',
    initial: '`http://localhost:` and the port',
    meaning: 'The address under which browsers reach Glacis, when a proxy stands in front of it.',
  }),
  GLACIS_DATA: described(z.string().default('.glacis'), {
    expects: 'a folder',
    initial: '`./.glacis`',
    meaning: 'The folder of everything that must survive: database, outbox. Relative to this repository.',
  }),
  DATABASE_URL: described(urlOf(/^postgres(ql)?:\/\//).optional(), {
    expects: 'a URL such as postgresql://user:password@host/database',
    initial: 'the embedded PostgreSQL',
    meaning:
      'An existing PostgreSQL 16 or newer to use in place of the embedded one. Its user must own the database and may create a role.',
  }),
  GLACIS_IDENTITY_URL: described(origin.optional(), {
    expects: 'an origin such as https://id.example.org, without a path',
    initial: 'the embedded identity service',
    meaning: 'The public address of an Ory Kratos to use in place of the embedded identity service.',
  }),
  GLACIS_ROLES: described(listOf(z.enum(roles)).default([...roles]), {
    expects: `a list out of ${roles.join(', ')}`,
    initial: '`api,identity,worker`',
    meaning: 'The parts of the product that this process plays.',
  }),
  GLACIS_SMTP_URL: described(urlOf(/^smtps?:\/\//).optional(), {
    expects: 'a URL such as smtps://user:password@mail.example.org',
    initial: 'mails become `.eml` files in `outbox/` of the data folder',
    meaning: 'The mail server that delivers our mails.',
  }),
  GLACIS_MAIL_FROM: described(sender.default('Glacis <glacis@localhost>'), {
    expects: 'a mail address such as Glacis <glacis@example.org>',
    initial: '`Glacis <glacis@localhost>`',
    meaning: 'The sender of our mails.',
  }),
  GLACIS_SUPPORT_EMAIL: described(z.email().optional(), {
    expects: 'a mail address such as security@example.org',
    initial: '`support@` and the host of `GLACIS_URL`',
    meaning: 'Where people write for help, and to have their account deleted.',
  }),
  GLACIS_OIDC: described(providers.default([]), {
    expects:
      'a JSON list of providers, or the path of a file with one, each with id, clientId and issuer (or authorizationUrl, tokenUrl and userinfoUrl), all https',
    initial: 'none',
    meaning:
      'Other services to sign in by, as a JSON list or the path of a file with one: `[{"id": "acme", "label": "Acme", "issuer": "https://id.acme.example", "clientId": "…", "clientSecret": "…"}]`. Plain OAuth 2.0 takes `authorizationUrl`, `tokenUrl` and `userinfoUrl` in place of `issuer`. Callback: `/self-service/methods/oidc/callback/` and the id.',
  }),
  GLACIS_REGISTRATION: described(z.enum(['one-step', 'two-step', 'off']).default('one-step'), {
    expects: 'one-step, two-step or off',
    initial: '`one-step`',
    meaning:
      'Sign up in one form, or say who you are first and choose how to sign in after it. `off`: accounts are made by `glacis identity create` alone.',
  }),
  GLACIS_CODE_SIGN_IN: described(z.enum(['on', 'off', 'second-factor']).default('off'), {
    expects: 'on, off or second-factor',
    initial: '`off`',
    meaning:
      'Sign in and up by a code that is mailed, besides the other ways. `second-factor`: everybody is mailed a code after the password.',
  }),
  GLACIS_BREACH_CHECK_URL: described(safeUrl.optional(), {
    expects: 'an https URL such as https://api.pwnedpasswords.com/range/',
    initial: 'nobody is asked',
    meaning:
      'Where new passwords are looked up among breached ones, by the first five digits of their SHA-1: `https://api.pwnedpasswords.com/range/`.',
  }),
  GLACIS_CAPTCHA_SITE_KEY: described(z.string().min(1).optional(), {
    expects: 'a key, together with GLACIS_CAPTCHA_SECRET',
    initial: 'no challenge',
    meaning:
      'The site key of a Turnstile challenge before signing in, signing up, recovering, and mailing the code that proves an address.',
  }),
  GLACIS_CAPTCHA_SECRET: described(z.string().min(1).optional(), {
    expects: 'a secret, together with GLACIS_CAPTCHA_SITE_KEY',
    initial: 'no challenge',
    meaning: 'The secret of that challenge.',
  }),
  GLACIS_CAPTCHA_VERIFY_URL: described(safeUrl.default('https://challenges.cloudflare.com/turnstile/v0/siteverify'), {
    expects: 'an https URL',
    initial: 'that of Turnstile',
    meaning: 'Where the answers to that challenge are verified.',
  }),
  GLACIS_SESSION_LIFE: described(duration.default(unitsMs.d), {
    expects: 'a duration such as 24h',
    initial: '`24h`',
    meaning: 'How long a sign-in lasts.',
  }),
  GLACIS_PRIVILEGED_AGE: described(duration.default(unitsMs.h), {
    expects: 'a duration such as 1h',
    initial: '`1h`',
    meaning: 'How long after a sign-in passwords, keys and second factors may be changed without another one.',
  }),
  GLACIS_FLOW_LIFE: described(duration.default(unitsMs.h), {
    expects: 'a duration such as 1h',
    initial: '`1h`',
    meaning: 'How long a sign-in, sign-up or settings form can be sent.',
  }),
  GLACIS_CODE_LIFE: described(duration.default(15 * unitsMs.m), {
    expects: 'a duration such as 15m',
    initial: '`15m`',
    meaning: 'How long a code that was mailed works.',
  }),
  GLACIS_SCAN_NETWORKS: described(z.union([z.enum(['all', 'public']), listOf(network)]).default('all'), {
    expects: 'all, public, or a list of networks such as 10.0.0.0/8,2001:db8::/32',
    initial: '`all`',
    meaning:
      'What scans may touch: `all`, `public` (no private or local address), or a list of networks, which binds agents too. Cloud metadata addresses stay refused.',
  }),
  GLACIS_CALLBACKS: described(z.union([z.literal('off').transform(() => null), callbackPlace]).default(null), {
    expects: `off, or ${callbackPlaceExpects}`,
    initial: '`off`: checks that need it do not run',
    meaning:
      'Where this machine hears targets that a check makes call back, such as `203.0.113.7:8088` (HTTP). With a domain whose name server this is, calls by DNS are heard too: `{"host": "203.0.113.7", "port": 80, "domain": "calls.example.org", "dnsPort": 53, "listen": "10.0.0.5", "listenPort": 8088}`. Agents do not offer it.',
  }),
  GLACIS_WEBHOOK_NETWORKS: described(z.union([z.enum(['all', 'public']), listOf(network)]).default('public'), {
    expects: 'public, all, or a list of networks such as 10.0.0.0/8',
    initial: '`public`',
    meaning:
      'Where webhooks, Slack and Discord messages may go: `public` (https to public addresses), `all`, or a list of networks besides, which may use http too. Cloud metadata addresses stay refused.',
  }),
  GLACIS_KEEP_HISTORY: described(duration.default(400 * unitsMs.d), {
    expects: 'a duration such as 400d',
    initial: '`400d`',
    meaning: 'How long scans and the history of risks are kept. Where a risk stands is never forgotten.',
  }),
  GLACIS_KEEP_EVIDENCE: described(duration.default(90 * unitsMs.d), {
    expects: 'a duration such as 90d',
    initial: '`90d`',
    meaning: 'How long the evidence of risks that are resolved is kept.',
  }),
  GLACIS_BILLING: described(z.enum(['open', 'off']).default('open'), {
    expects: 'open or off (stripe is not part of this release)',
    initial: '`open`',
    meaning: '`open`: plans can be changed at once and cost nothing. `off`: no plans, no limits, no billing screens.',
  }),
  GLACIS_PACKS: described(listOf(z.string()).default([]), {
    expects: 'a list of folders or files',
    initial: 'only our own packs',
    meaning: 'More packs (nuclei templates, Recog fingerprints, CVE records): folders or files, separated by commas.',
  }),
  GLACIS_FEEDS: described(z.enum(['on', 'off']).default('off'), {
    expects: 'on or off',
    initial: '`on` with `npm start`, else `off`',
    meaning:
      'Whether Glacis fetches the public feeds by itself: NVD, CISA KEV, EPSS, end-of-life dates, community templates and more. Without it: `glacis packs import`.',
  }),
  GLACIS_FEED_SOURCES: described(feedSources.default({}), {
    expects: `a JSON object of web addresses under the names ${feedKeys.join(', ')}`,
    initial: 'the addresses of their publishers',
    meaning:
      'Other addresses for feeds, such as a mirror of yours: `{"nvd": "https://mirror.example/nvd-{year}.json.gz", "cve5": ""}`. An empty one is not fetched.',
  }),
  GLACIS_LOG_LEVEL: described(z.enum(levels).default('info'), {
    expects: `one of ${levels.join(', ')}`,
    initial: '`info`',
    meaning: 'The least important lines that are logged (to standard error).',
  }),
})

export type SettingName = keyof typeof Settings.shape
/** In the order of the README's table. */
export const names = Object.keys(Settings.shape) as SettingName[] // proved by Object.keys of that very shape
export const wordsOf = (name: SettingName) => Settings.shape[name].meta() as unknown as Described // `described` put it there

/** The table of settings as the README shows it, in Markdown. */
export function settingsTable(): string {
  const rows = names.map((name) => {
    const { initial, meaning } = wordsOf(name)
    return `| \`${name}\` | ${initial} | ${meaning} |`
  })
  return ['| name | default | meaning |', '|---|---|---|', ...rows].join('\n')
}
