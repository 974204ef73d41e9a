import { expect, it } from 'vitest'
import { readConfig } from './config.ts'
import { settingsTables } from './settings.ts'

const root = '/opt/glacis'

it('has a default for every setting', () => {
  expect(readConfig({}, root)).toMatchObject({
    port: 3000,
    url: 'http://localhost:3000',
    supportEmail: 'support@localhost',
    dataFolder: '/opt/glacis/.glacis',
    databaseUrl: undefined,
    roles: ['api', 'identity', 'worker'],
    scanNetworks: 'all',
    billing: 'open',
    packs: [],
    callbacks: null,
  })
})

it('parses lists, paths, and numbers', () => {
  const config = readConfig(
    {
      GLACIS_PORT: '8080',
      GLACIS_HOST: '0.0.0.0, ::',
      GLACIS_DATA: '/var/lib/glacis',
      GLACIS_ROLES: 'api,worker,api',
      GLACIS_SCAN_NETWORKS: '10.0.0.0/8, 2001:db8::/32',
      GLACIS_PACKS: 'more/packs,/etc/one.yaml',
      GLACIS_BILLING: '',
      GLACIS_SUPPORT_EMAIL: 'security@example.ch',
    },
    root,
  )
  expect(config).toMatchObject({
    port: 8080,
    hosts: ['0.0.0.0', '::'],
    url: 'http://localhost:8080',
    dataFolder: '/var/lib/glacis',
    roles: ['api', 'worker'],
    scanNetworks: ['10.0.0.0/8', '2001:db8::/32'],
    packs: ['/opt/glacis/more/packs', '/etc/one.yaml'],
    billing: 'open',
    supportEmail: 'security@example.ch',
  })
})

it('reports all invalid and unknown settings together and suggests the nearest name', () => {
  const invalidSettings = {
    GLACIS_PORT: 'eighty',
    GLACIS_BILLING: 'stripe',
    GLACIS_PROT: '1',
    DATABASE_URL: 'mysql://h/d',
  }
  expect(() => readConfig(invalidSettings, root)).toThrow(
    [
      'Invalid configuration:',
      'GLACIS_PORT must be a port number from 1 to 65535.',
      'DATABASE_URL must be a URL such as postgresql://user:password@host/database.',
      'GLACIS_BILLING must be open or off (stripe is not supported in this release).',
      'GLACIS_PROT is not a setting (did you mean GLACIS_PORT?).',
    ].join('\n  '),
  )
})

it("SEC-H3 doesn't repeat values in error messages, because they may be secrets", () => {
  const read = () => readConfig({ GLACIS_SMTP_URL: 'mail://ann:hunter2@mail' }, root)
  expect(read).toThrow('GLACIS_SMTP_URL')
  expect(read).not.toThrow('hunter2')
})

it.each([
  ['GLACIS_PORT', '0'],
  ['GLACIS_PORT', '65536'],
  ['GLACIS_PORT', '80.5'],
  ['GLACIS_HOST', 'http://localhost'],
  ['GLACIS_URL', 'https://glacis.example.org/portal'],
  ['GLACIS_URL', 'ftp://glacis.example.org'],
  ['GLACIS_ROLES', 'api,agent'],
  ['GLACIS_SCAN_NETWORKS', '10.0.0.1'],
  ['GLACIS_SCAN_NETWORKS', '10.0.0.0/33'],
  ['GLACIS_CALLBACKS', 'scan.example.org/calls'],
  ['GLACIS_LOG_LEVEL', 'loud'],
  ['GLACIS_MAIL_FROM', 'Glacis'],
  ['GLACIS_MAIL_FROM', 'Glacis <glacis@example.org>\r\nBcc: x@example.org'],
  ['GLACIS_MAIL_FROM', '\nGlacis <glacis@example.org>'],
  ['GLACIS_REGISTRATION', 'three-step'],
  ['GLACIS_SESSION_LIFE', '24'],
  ['GLACIS_CODE_LIFE', '0m'],
  ['GLACIS_OIDC', '{'],
  ['GLACIS_OIDC', '[{"id":"acme","clientId":"x"}]'],
  ['GLACIS_OIDC', '[{"id":"acme","clientId":"x","issuer":"http://id.acme.example"}]'],
  ['GLACIS_OIDC', '[{"id":"acme","clientId":"x","issuer":"http://localhost.evil.example"}]'],
])('rejects %s=%s', (name, value) => {
  expect(() => readConfig({ [name]: value }, root)).toThrow(`${name} must be`)
})

it('distinguishes a file that is missing from one that is invalid', () => {
  expect(() => readConfig({ GLACIS_OIDC: '/nowhere/providers.json' }, root)).toThrow(
    "Invalid configuration: GLACIS_OIDC names a file that can't be read (ENOENT).",
  )
  expect(() => readConfig({ GLACIS_OIDC: import.meta.filename }, root)).toThrow('GLACIS_OIDC must be')
})

it('requires both settings of the bot challenge', () => {
  const settings = { GLACIS_CAPTCHA_SITE_KEY: 'site', GLACIS_CAPTCHA_SECRET: 'secret' }
  expect(readConfig(settings, root).signIn.captcha).toEqual({
    siteKey: 'site',
    secret: 'secret',
    verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  })
  expect(() => readConfig({ GLACIS_CAPTCHA_SITE_KEY: 'site' }, root)).toThrow('GLACIS_CAPTCHA_SECRET must be')
})

it('parses durations and sign-in providers', () => {
  const acme = { id: 'acme', clientId: 'x', clientSecret: 'y', issuer: 'https://id.acme.example' }
  const { signIn } = readConfig(
    { GLACIS_CODE_LIFE: '90s', GLACIS_SESSION_LIFE: '7d', GLACIS_OIDC: JSON.stringify([acme]) },
    root,
  )
  expect(signIn).toEqual({
    registration: 'one-step',
    codes: undefined,
    breachCheckUrl: undefined,
    captcha: undefined,
    providers: [acme],
    lifespans: {
      sessionMs: 604_800_000,
      idleMs: 28_800_000,
      privilegedMs: 3_600_000,
      flowMs: 3_600_000,
      codeMs: 90_000,
    },
  })
})

it('matches docs/settings.md (update it with vitest -u)', async () => {
  await expect(`${introduction}${settingsTables()}`).toMatchFileSnapshot('../../../docs/settings.md')
})

const introduction = `# Settings

Settings are environment variables, or lines of a file \`.env\` in the project folder. Glacis exits at startup if a setting is
invalid or its name is unknown, and lists all such settings. Durations are a number and a unit: \`30s\`, \`15m\`, \`24h\`, or \`400d\`.

Every setting is optional. An installation that others use needs \`GLACIS_URL\`, and \`GLACIS_SMTP_URL\` and \`GLACIS_MAIL_FROM\` to send
email; see [Run it on a server](backup-and-upgrade.md#run-it-on-a-server).

This page is generated from \`apps/server/src/settings.ts\`.
`

it.each([
  ['9464', { host: '127.0.0.1', port: 9464 }],
  ['10.0.0.5:9464', { host: '10.0.0.5', port: 9464 }],
  ['[::1]:9464', { host: '::1', port: 9464 }],
  ['off', null],
])('parses the address of metrics %s', (text, metrics) => {
  expect(readConfig({ GLACIS_METRICS: text }, root).metrics).toEqual(metrics)
})

it.each(['0', '70000', '10.0.0.5', 'a b:1', ':9464'])('rejects the address of metrics %s', (text) => {
  expect(() => readConfig({ GLACIS_METRICS: text }, root)).toThrow('GLACIS_METRICS must be off, a port, or an address')
})
