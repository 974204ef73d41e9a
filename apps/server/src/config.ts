/** The settings as the program uses them, read from its environment. */
import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import type { CallbackSettings } from '@glacis/scanner'
import type { z } from 'zod'
import type { BackupSchedule } from './backups/index.ts'
import { CliError } from './cli-error.ts'
import { addresses, type SourceKey } from './packs/sources.ts'
import type { ScanNetworks } from './scan-networks.ts'
import type { Provider } from './setting-values.ts'
import { type levels, names, type roles, Settings, descriptionOf } from './settings.ts'
import { errorCode } from '#error-code.ts'
import { closestOf } from './closest.ts'

/** A part of Glacis that this process runs; all of them by default. */
export type Role = (typeof roles)[number]

/** The settings as the program uses them: read once at the start, complete and checked. */
export interface Config {
  readonly port: number
  /** The addresses to listen on. The default omits `::1` on machines without IPv6. */
  readonly hosts: readonly string[]
  /** The public origin, without a trailing slash. */
  readonly url: string
  /** Absolute path of the folder for the embedded database, the outbox, and all other persistent data. */
  readonly dataFolder: string
  /** Undefined: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined
  /** For work that needs its own session, if `databaseUrl` is that of a pooler. */
  readonly directDatabaseUrl: string | undefined
  /** A streaming replica for lists and charts. */
  readonly readDatabaseUrl: string | undefined
  /** Undefined: the embedded identity service. */
  readonly identityUrl: string | undefined
  readonly roles: readonly Role[]
  /** How long a stopping process still serves requests; 0: it stops immediately. */
  readonly drainMs: number
  /** Undefined: emails are written to the outbox. */
  readonly smtpUrl: string | undefined
  readonly mailFrom: string
  /** The contact address shown to users. */
  readonly supportEmail: string
  readonly scanNetworks: ScanNetworks
  /** Null: out-of-band checks are skipped. */
  readonly callbacks: CallbackSettings | null
  /** Destinations that webhooks may use in addition to public addresses over https. */
  readonly webhookNetworks: 'all' | 'public' | readonly string[]
  /** Retention periods in milliseconds. */
  readonly retention: { readonly historyMs: number; readonly evidenceMs: number }
  readonly billing: 'open' | 'off'
  /** Absolute paths of additional pack folders and files. */
  readonly packs: readonly string[]
  /** URL of each feed, empty if it is turned off; null: feeds are not downloaded. */
  readonly feeds: Readonly<Record<SourceKey, string>> | null
  /** Null: no scheduled backups. */
  readonly backup: BackupSchedule | null
  /** Where metrics are served; null: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null
  /** Whether traces are exported. The OpenTelemetry SDK reads its variables itself. */
  readonly isTraced: boolean
  /** Absolute path of the folder with downloaded releases; undefined: no update notice. */
  readonly releases: string | undefined
  readonly logLevel: (typeof levels)[number]
  /** Sign-in and sign-up options of the embedded identity service. */
  readonly signIn: {
    readonly registration: 'one-step' | 'two-step' | 'off'
    /** Codes by email: instead of a password, or after it. */
    readonly codes: 'first' | 'second' | undefined
    /** Undefined: passwords are not checked against breaches. */
    readonly breachCheckUrl: string | undefined
    /** Undefined: no bot challenge. */
    readonly captcha: { readonly siteKey: string; readonly secret: string; readonly verifyUrl: string } | undefined
    readonly providers: readonly z.infer<typeof Provider>[]
    readonly lifespans: Readonly<Record<'sessionMs' | 'idleMs' | 'privilegedMs' | 'flowMs' | 'codeMs', number>>
  }
}

/**
 * Reads only the networks that may be scanned, for a command that needs no other setting.
 *
 * @throws CliError if they are invalid
 */
export function readScanNetworks(environment: Readonly<Record<string, string | undefined>>): ScanNetworks {
  const name = 'GLACIS_SCAN_NETWORKS'
  const reading = Settings.shape[name].safeParse(environment[name]?.trim() || undefined)
  if (!reading.success) throw new CliError(listOf([`${name} must be ${descriptionOf(name).expects}`]))
  return reading.data
}

/**
 * Reads the settings from the environment. An empty value counts as absent.
 *
 * @param root the base of relative paths: the repository, not the working directory
 * @throws CliError listing every invalid or unknown setting
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>, root: string): Config {
  const nonEmpty = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()))
  const providers = nonEmpty['GLACIS_OIDC'] ? contentOf(nonEmpty['GLACIS_OIDC'], root) : {}
  if (providers.text !== undefined) nonEmpty['GLACIS_OIDC'] = providers.text
  const reading = Settings.safeParse(nonEmpty)
  const invalid = new Set(reading.error?.issues.map((issue) => issue.path[0]))
  const isHalf = Boolean(nonEmpty['GLACIS_CAPTCHA_SITE_KEY']) !== Boolean(nonEmpty['GLACIS_CAPTCHA_SECRET'])
  if (isHalf) invalid.add(nonEmpty['GLACIS_CAPTCHA_SECRET'] ? 'GLACIS_CAPTCHA_SITE_KEY' : 'GLACIS_CAPTCHA_SECRET')
  if (providers.unreadable) invalid.delete('GLACIS_OIDC')
  const problems = [
    ...(providers.unreadable ? [`GLACIS_OIDC names a file that can't be read (${providers.unreadable})`] : []),
    ...names.filter((name) => invalid.has(name)).map((name) => `${name} must be ${descriptionOf(name).expects}`),
    ...Object.keys(nonEmpty).filter(isUnknown).map(unknownName),
  ]
  if (!reading.success || problems.length > 0) throw new CliError(listOf(problems))

  const value = reading.data
  const url = value.GLACIS_URL ?? `http://localhost:${value.GLACIS_PORT}`
  return {
    port: value.GLACIS_PORT,
    hosts: value.GLACIS_HOST ?? localHosts(),
    url,
    dataFolder: resolve(root, value.GLACIS_DATA),
    databaseUrl: value.DATABASE_URL,
    directDatabaseUrl: value.GLACIS_DIRECT_DATABASE_URL,
    readDatabaseUrl: value.GLACIS_READ_DATABASE_URL,
    identityUrl: value.GLACIS_IDENTITY_URL,
    roles: [...new Set(value.GLACIS_ROLES)],
    drainMs: value.GLACIS_DRAIN ?? 0,
    smtpUrl: value.GLACIS_SMTP_URL,
    mailFrom: value.GLACIS_MAIL_FROM,
    supportEmail: value.GLACIS_SUPPORT_EMAIL ?? `support@${new URL(url).hostname}`,
    scanNetworks: value.GLACIS_SCAN_NETWORKS,
    callbacks: value.GLACIS_CALLBACKS,
    webhookNetworks: value.GLACIS_WEBHOOK_NETWORKS,
    retention: { historyMs: value.GLACIS_KEEP_HISTORY, evidenceMs: value.GLACIS_KEEP_EVIDENCE },
    billing: value.GLACIS_BILLING,
    packs: value.GLACIS_PACKS.map((path) => resolve(root, path)),
    feeds: value.GLACIS_FEEDS === 'on' ? { ...addresses, ...value.GLACIS_FEED_SOURCES } : null,
    backup:
      value.GLACIS_BACKUP === null
        ? null
        : {
            folder: resolve(root, value.GLACIS_BACKUP),
            periodMs: value.GLACIS_BACKUP_PERIOD,
            keep: value.GLACIS_BACKUP_KEEP,
            recipients: value.GLACIS_BACKUP_RECIPIENTS,
          },
    metrics: value.GLACIS_METRICS,
    isTraced: value.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    releases: value.GLACIS_RELEASES === undefined ? undefined : resolve(root, value.GLACIS_RELEASES),
    logLevel: value.GLACIS_LOG_LEVEL,
    signIn: {
      registration: value.GLACIS_REGISTRATION,
      codes: ({ on: 'first', 'second-factor': 'second', off: undefined } as const)[value.GLACIS_CODE_SIGN_IN],
      breachCheckUrl: value.GLACIS_BREACH_CHECK_URL,
      captcha: captchaOf(value),
      providers: value.GLACIS_OIDC,
      lifespans: {
        sessionMs: value.GLACIS_SESSION_LIFE,
        idleMs: value.GLACIS_SESSION_IDLE,
        privilegedMs: value.GLACIS_PRIVILEGED_AGE,
        flowMs: value.GLACIS_FLOW_LIFE,
        codeMs: value.GLACIS_CODE_LIFE,
      },
    },
  }
}

/** One sentence, or a line for each problem. */
function listOf(problems: readonly string[]): string {
  const isOne = problems.length === 1
  return `Invalid configuration:${problems.map((problem) => `${isOne ? ' ' : '\n  '}${problem}.`).join('')}`
}

/** Returns JSON as is, and reads a file otherwise. Errors don't repeat the value, which might contain a secret. */
function contentOf(listOrPath: string, root: string): { readonly text?: string; readonly unreadable?: string } {
  if (/^\s*[[{]/.test(listOrPath)) return { text: listOrPath }
  try {
    return { text: readFileSync(resolve(root, listOrPath.trim()), 'utf8') }
  } catch (error) {
    return { unreadable: errorCode(error) || 'not a path' }
  }
}

function captchaOf(value: z.infer<typeof Settings>): Config['signIn']['captcha'] {
  const { GLACIS_CAPTCHA_SITE_KEY: siteKey, GLACIS_CAPTCHA_SECRET: secret } = value
  return siteKey && secret ? { siteKey, secret, verifyUrl: value.GLACIS_CAPTCHA_VERIFY_URL } : undefined
}

function localHosts(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  return addresses.some(({ address }) => address === '::1') ? ['127.0.0.1', '::1'] : ['127.0.0.1']
}

function isUnknown(name: string): boolean {
  return name.startsWith('GLACIS_') && !(name in Settings.shape)
}

function unknownName(name: string): string {
  return `${name} is not a setting (did you mean ${closestOf(names, name)?.text}?)`
}
