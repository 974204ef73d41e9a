/**
 * The settings: every name, its meaning and its default stand here and nowhere else. The table in
 * the README is made from this list and a test keeps them the same.
 */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import type { CallbackSettings } from '@glacis/scanner'
import { z } from 'zod'
import { callbackPlace, callbackPlaceExpects } from './callbacks.ts'
import { Obstacle } from './obstacle.ts'
import { addresses, type SourceKey } from './packs/sources.ts'

const roles = ['api', 'identity', 'worker'] as const
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** A part of the product that this process plays; usually it plays them all. */
export type Role = (typeof roles)[number]

/** The settings as the program uses them: read once at the start, complete and checked. */
export interface Config {
  readonly port: number
  /** The addresses to listen on. `::1` is left out by default on a machine that has no IPv6. */
  readonly hosts: readonly string[]
  /** The origin under which browsers reach the product, without a slash at the end. */
  readonly url: string
  /** Absolute. Holds the embedded database, the outbox and everything else that must survive. */
  readonly dataFolder: string
  /** Undefined: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined
  /** Undefined: the embedded identity service. */
  readonly identityUrl: string | undefined
  readonly roles: readonly Role[]
  /** Undefined: mails are written to the outbox. */
  readonly smtpUrl: string | undefined
  readonly mailFrom: string
  /** Networks in CIDR notation, or one of the two words. */
  readonly scanNetworks: 'all' | 'public' | readonly string[]
  /** Where targets that a check makes call back reach us; null: such checks do not run. */
  readonly callbacks: CallbackSettings | null
  /** Where messages of channels may go besides public addresses over https. */
  readonly webhookNetworks: 'all' | 'public' | readonly string[]
  /** How long what has ended is kept, in milliseconds. */
  readonly keep: { readonly historyMs: number; readonly evidenceMs: number }
  readonly billing: 'open' | 'off'
  /** Absolute paths of pack folders and files that come on top of our own. */
  readonly packs: readonly string[]
  /** Where each feed is fetched, empty where it is not; null: no feed is fetched at all. */
  readonly feeds: Readonly<Record<SourceKey, string>> | null
  readonly logLevel: (typeof levels)[number]
  /** How people sign in and up at the embedded identity service. */
  readonly signIn: {
    readonly registration: 'one-step' | 'two-step' | 'off'
    /** Codes by mail: in place of a password, or after it. */
    readonly codes: 'first' | 'second' | undefined
    /** Undefined: passwords are looked up nowhere. */
    readonly breachCheckUrl: string | undefined
    /** Undefined: nobody is asked to prove to be a person. */
    readonly captcha: { readonly siteKey: string; readonly secret: string; readonly verifyUrl: string } | undefined
    readonly providers: readonly z.infer<typeof Provider>[]
    readonly lifespans: Readonly<Record<'sessionMs' | 'privilegedMs' | 'flowMs' | 'codeMs', number>>
  }
}

const list = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
const listOf = <T>(item: z.ZodType<T, string>) => z.string().transform(list).pipe(z.array(item).min(1))

const isOrigin = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href
}
const origin = z
  .string()
  .refine(isOrigin)
  .transform((text) => new URL(text).origin)
const urlOf = (scheme: RegExp) => z.string().refine((text) => scheme.test(text) && URL.canParse(text))
const listenHost = z.string().refine((text) => isIP(text) > 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text))
const network = z.union([z.cidrv4(), z.cidrv6()])

const unitsMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/)
  .transform((text) => Number(text.slice(0, -1)) * unitsMs[text.slice(-1) as keyof typeof unitsMs]) // proved by the pattern

const isSafe = (text: string) => /^https:|^http:\/\/(localhost|127(\.\d+){3}|\[::1\])([:/]|$)/.test(text)
const safeUrl = urlOf(/^https?:\/\//).refine(isSafe)
const Provider = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/i),
    label: z.string().min(1).max(64).optional(),
    clientId: z.string().min(1),
    clientSecret: z.string().min(1).optional(),
    issuer: safeUrl.optional(),
    authorizationUrl: safeUrl.optional(),
    tokenUrl: safeUrl.optional(),
    userinfoUrl: safeUrl.optional(),
    scopes: z.array(z.string().min(1)).optional(),
    responseMode: z.enum(['query', 'form_post']).optional(),
  })
  .refine((one) => one.issuer ?? (one.authorizationUrl && one.tokenUrl && one.userinfoUrl))
const isAllDifferent = (list: readonly { id: string }[]) => new Set(list.map(({ id }) => id)).size === list.length
const providers = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue('no JSON')
      return z.NEVER
    }
  })
  .pipe(z.array(Provider).refine(isAllDifferent))

const feedKeys = Object.keys(addresses) as [SourceKey, ...SourceKey[]] // proved by Object.keys of that very table
const feedSources = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue('no JSON')
      return z.NEVER
    }
  })
  .pipe(z.partialRecord(z.enum(feedKeys), z.union([z.literal(''), safeUrl])))

/** `expects` completes "NAME must be …". */
interface Described {
  readonly expects: string
  readonly initial: string
  readonly meaning: string
}
const described = <T extends z.ZodType>(schema: T, words: Described) => schema.meta({ ...words })

const Settings = z.object({
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
  GLACIS_MAIL_FROM: described(z.string().includes('@').default('Glacis <glacis@localhost>'), {
    expects: 'a mail address such as Glacis <glacis@example.org>',
    initial: '`Glacis <glacis@localhost>`',
    meaning: 'The sender of our mails.',
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
    meaning: 'The site key of a Turnstile challenge before signing in, signing up and recovering.',
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
      'Where webhooks, Slack and Discord messages may go: `public` (https to public addresses), `all`, or public ones and a list of networks, which then may use http.',
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

type SettingName = keyof typeof Settings.shape
const names = Object.keys(Settings.shape) as SettingName[] // proved by Object.keys of that very shape
const wordsOf = (name: SettingName) => Settings.shape[name].meta() as unknown as Described // `described` put it there

/** The table of settings as the README shows it, in Markdown. */
export function settingsTable(): string {
  const rows = names.map((name) => {
    const { initial, meaning } = wordsOf(name)
    return `| \`${name}\` | ${initial} | ${meaning} |`
  })
  return ['| name | default | meaning |', '|---|---|---|', ...rows].join('\n')
}

/**
 * Reads the settings from the environment. An empty value counts as absent.
 *
 * @param root the folder that relative paths start from: the repository, wherever one stands
 * @throws Obstacle that names every wrong or unknown setting at once
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>, root: string): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()))
  if (given['GLACIS_OIDC']) given['GLACIS_OIDC'] = contentOf(given['GLACIS_OIDC'], root)
  const reading = Settings.safeParse(given)
  const wrong = new Set(reading.error?.issues.map((issue) => issue.path[0]))
  const isHalf = Boolean(given['GLACIS_CAPTCHA_SITE_KEY']) !== Boolean(given['GLACIS_CAPTCHA_SECRET'])
  if (isHalf) wrong.add(given['GLACIS_CAPTCHA_SECRET'] ? 'GLACIS_CAPTCHA_SITE_KEY' : 'GLACIS_CAPTCHA_SECRET')
  const problems = [
    ...names.filter((name) => wrong.has(name)).map((name) => `${name} must be ${wordsOf(name).expects}`),
    ...Object.keys(given).filter(isUnknown).map(unknownName),
  ]
  if (!reading.success || problems.length > 0) throw new Obstacle(`Please mend the settings: ${problems.join('; ')}.`)

  const value = reading.data
  return {
    port: value.GLACIS_PORT,
    hosts: value.GLACIS_HOST ?? localHosts(),
    url: value.GLACIS_URL ?? `http://localhost:${value.GLACIS_PORT}`,
    dataFolder: resolve(root, value.GLACIS_DATA),
    databaseUrl: value.DATABASE_URL,
    identityUrl: value.GLACIS_IDENTITY_URL,
    roles: [...new Set(value.GLACIS_ROLES)],
    smtpUrl: value.GLACIS_SMTP_URL,
    mailFrom: value.GLACIS_MAIL_FROM,
    scanNetworks: value.GLACIS_SCAN_NETWORKS,
    callbacks: value.GLACIS_CALLBACKS,
    webhookNetworks: value.GLACIS_WEBHOOK_NETWORKS,
    keep: { historyMs: value.GLACIS_KEEP_HISTORY, evidenceMs: value.GLACIS_KEEP_EVIDENCE },
    billing: value.GLACIS_BILLING,
    packs: value.GLACIS_PACKS.map((path) => resolve(root, path)),
    feeds: value.GLACIS_FEEDS === 'on' ? { ...addresses, ...value.GLACIS_FEED_SOURCES } : null,
    logLevel: value.GLACIS_LOG_LEVEL,
    signIn: {
      registration: value.GLACIS_REGISTRATION,
      codes: ({ on: 'first', 'second-factor': 'second', off: undefined } as const)[value.GLACIS_CODE_SIGN_IN],
      breachCheckUrl: value.GLACIS_BREACH_CHECK_URL,
      captcha: captchaOf(value),
      providers: value.GLACIS_OIDC,
      lifespans: {
        sessionMs: value.GLACIS_SESSION_LIFE,
        privilegedMs: value.GLACIS_PRIVILEGED_AGE,
        flowMs: value.GLACIS_FLOW_LIFE,
        codeMs: value.GLACIS_CODE_LIFE,
      },
    },
  }
}

/** A list is written out, or kept in a file, where its secrets are out of sight. A file that is not there is no list. */
function contentOf(listOrPath: string, root: string): string {
  if (listOrPath.trimStart().startsWith('[')) return listOrPath
  try {
    return readFileSync(resolve(root, listOrPath.trim()), 'utf8')
  } catch {
    return listOrPath
  }
}

function captchaOf(value: z.infer<typeof Settings>): Config['signIn']['captcha'] {
  const { GLACIS_CAPTCHA_SITE_KEY: siteKey, GLACIS_CAPTCHA_SECRET: secret } = value
  return siteKey && secret ? { siteKey, secret, verifyUrl: value.GLACIS_CAPTCHA_VERIFY_URL } : undefined
}

function localHosts(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return addresses.some(({ address }) => address === '::1') ? ['127.0.0.1', '::1'] : ['127.0.0.1']
}

function isUnknown(name: string): boolean {
  return name.startsWith('GLACIS_') && !(name in Settings.shape)
}

function unknownName(name: string): string {
  const nearest = names.toSorted((a, b) => editDistance(name, a) - editDistance(name, b))[0]
  return `${name} is not a setting, the nearest one is ${nearest}`
}

/** Levenshtein's distance: the fewest letters to insert, drop or change. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [line, letter] of a.split('').entries()) {
    const next = [line + 1]
    for (const [column, other] of b.split('').entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
