/** The settings as the program uses them, read from its environment. */
import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import type { CallbackSettings } from '@glacis/scanner'
import type { z } from 'zod'
import { Obstacle } from './obstacle.ts'
import { addresses, type SourceKey } from './packs/sources.ts'
import type { Provider } from './setting-values.ts'
import { type levels, names, type roles, Settings, wordsOf } from './settings.ts'

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
  /** Where people of this installation write. */
  readonly supportEmail: string
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
  const url = value.GLACIS_URL ?? `http://localhost:${value.GLACIS_PORT}`
  return {
    port: value.GLACIS_PORT,
    hosts: value.GLACIS_HOST ?? localHosts(),
    url,
    dataFolder: resolve(root, value.GLACIS_DATA),
    databaseUrl: value.DATABASE_URL,
    identityUrl: value.GLACIS_IDENTITY_URL,
    roles: [...new Set(value.GLACIS_ROLES)],
    smtpUrl: value.GLACIS_SMTP_URL,
    mailFrom: value.GLACIS_MAIL_FROM,
    supportEmail: value.GLACIS_SUPPORT_EMAIL ?? `support@${new URL(url).hostname}`,
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
