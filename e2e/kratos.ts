/** Runs a real Ory Kratos with the configuration from `docs/kratos.md`. */
import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants, createWriteStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { SMTPServer } from 'smtp-server'
import { root } from '../lab/product.ts'
import type { ProviderOptions } from '../packages/identity/src/options.ts'
import { freePort } from './ports.ts'

/** The program in `KRATOS` or on the path, built with SQLite; null if there is none. */
export function kratosProgram(): string | null {
  const { KRATOS: named, PATH: path = '' } = process.env
  if (named) return named
  return (
    path
      .split(delimiter)
      .map((folder) => join(folder, 'kratos'))
      .find(isExecutable) ?? null
  )
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const startMsMax = 20_000

interface Options {
  /** The address of Kratos and Glacis, which share a hostname. */
  readonly url: string
  /** Port of the public API. */
  readonly port: number
  /** For the database and the configuration; its `outbox` gets the emails. */
  readonly folder: string
  /** Users can sign in with it. */
  readonly provider: ProviderOptions
}

/**
 * Creates the database and starts Kratos.
 *
 * @throws with the output if Kratos doesn't become ready
 */
export async function startKratos(
  program: string,
  { url, port, folder, provider }: Options,
): Promise<{ stop(): Promise<void> }> {
  await mkdir(join(folder, 'outbox'), { recursive: true })
  const mailServer = catchMails(join(folder, 'outbox'))
  const [adminPort, mailPort] = [await freePort(), await freePort()]
  await once(mailServer.listen(mailPort, '127.0.0.1'), 'listening')
  // Kratos must not report statistics to its vendor.
  const env = { PATH: process.env['PATH'], HOME: folder, SQA_OPT_OUT: 'true' }
  const addresses = { url, port, adminPort, mailPort, provider }
  const configuration = configurationIn(await readFile(join(root, 'docs/kratos.md'), 'utf8'), folder, addresses)
  const file = join(folder, 'kratos.yml')
  await writeFile(join(folder, 'person.schema.json'), configuration.schema)
  await writeFile(join(folder, 'acme.jsonnet'), configuration.mapper)
  await writeFile(file, configuration.settings)
  await promisify(execFile)(program, ['migrate', 'sql', '--read-from-env', '--yes', '--config', file], { env })
  const health = `http://127.0.0.1:${adminPort}/health/ready`
  const serve = () =>
    startServer(
      () => spawn(program, ['serve', '--watch-courier', '--config', file], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
      health,
    )
  let server = await serve()
  if (typeof server === 'string' && server.includes('"style" not allowed')) {
    await writeFile(file, asInVersion1(configuration.settings))
    server = await serve()
  }
  if (typeof server === 'string') {
    mailServer.close()
    throw new Error(`Kratos isn't ready:\n${server}`)
  }
  const child = server
  return {
    async stop() {
      const exit = once(child, 'exit')
      child.kill()
      await exit
      mailServer.close()
    },
  }
}

/** @returns the output if the program doesn't become ready */
async function startServer(
  start: () => ChildProcessByStdio<null, Readable, Readable>,
  health: string,
): Promise<ChildProcess | string> {
  const child = start()
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const deadline = Date.now() + startMsMax
  while (child.exitCode === null && Date.now() < deadline) {
    const response = await fetch(health).catch(() => null)
    if (response?.ok) return child
    await wait(100)
  }
  child.kill()
  return (await output).join('\n').slice(-2000)
}

interface Addresses {
  readonly url: string
  readonly port: number
  readonly adminPort: number
  readonly mailPort: number
  readonly provider: ProviderOptions
}

/** The configuration and schema of the page, with the addresses of this test. */
function configurationIn(page: string, folder: string, { url, port, adminPort, mailPort, provider }: Addresses) {
  const { issuer = '', clientId, clientSecret = '' } = provider
  const settings = blockOf(page, 'yaml')
    .replace('oidc:\n      enabled: false', 'oidc:\n      enabled: true')
    .replace(/(?<=oidc:\n.*\n)(?: {6}# .*\n)+/, (lines) => lines.replaceAll(/^ {6}# /gm, '      '))
    .replace('https://id.acme.example', issuer)
    .replace('client_id: glacis', `client_id: ${clientId}`)
    .replace('client_secret: SECRET', `client_secret: ${clientSecret}`)
    .replace('/etc/kratos/acme.jsonnet', join(folder, 'acme.jsonnet'))
    .replace(/^dsn: .*/m, `dsn: sqlite://${join(folder, 'kratos.sqlite')}?_fk=true`)
    .replaceAll(/https:\/\/(glacis|id)\.example\.org/g, url)
    .replaceAll('id: glacis.example.org', 'id: localhost')
    // With a single hostname, the cookie needs no domain.
    .replaceAll(/^ +domain: example\.org\n/gm, '')
    .replace('port: 4433', `port: ${port}`)
    .replace('port: 4434', `port: ${adminPort}`)
    .replace('/etc/kratos/person.schema.json', join(folder, 'person.schema.json'))
    .replace(/connection_uri: .*/, `connection_uri: smtp://127.0.0.1:${mailPort}/?disable_starttls=true`)
    .replaceAll('REPLACE-WITH-32-RANDOM-CHARACTERS', () => randomBytes(16).toString('hex'))
  return { settings, schema: blockOf(page, 'json'), mapper: blockOf(page, 'jsonnet') }
}

/** The page describes this difference. */
function asInVersion1(settings: string): string {
  return settings.replace(
    /^( {4}registration:\n(?: {6}.*\n)*?) {6}style: unified$/m,
    '$1      enable_legacy_one_step: true',
  )
}

function blockOf(page: string, language: string): string {
  const [, block] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? []
  if (block === undefined) throw new Error(`docs/kratos.md has no ${language} block`)
  return block
}

/** Stores emails as the outbox of Glacis does, with the recipient in the name. */
function catchMails(outbox: string): SMTPServer {
  let count = 0
  return new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, { envelope }, done) {
      const to = envelope.rcptTo.map(({ address }) => address).join(',')
      const file = createWriteStream(join(outbox, `${String(++count).padStart(4, '0')}-${to}.eml`))
      pipeline(stream, file, done)
    },
  })
}
