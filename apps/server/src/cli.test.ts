import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runInProcess } from '#testing/command.ts'
import { version } from './version.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-cli-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface CommandResult {
  readonly code: number | string | null | undefined
  readonly stdout: string
  readonly stderr: string
}

function environment() {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return { PATH, NODE_COMPILE_CACHE, GLACIS_DATA: folder, GLACIS_HOST: '127.0.0.1' }
}

/** Runs the program until it exits, with these settings added to the defaults. */
function glacis(args: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  const env = { ...environment(), ...settings }
  const { promise, resolve } = Promise.withResolvers<CommandResult>()
  execFile(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], { env }, (error, stdout, stderr) => {
    resolve({ code: error ? error.code : 0, stdout, stderr })
  })
  return promise
}

it('prints its version', async () => {
  expect(await glacis(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

it.each([[['--help']], [[]]])('prints its usage for %j', async (args) => {
  const { code, stdout } = await runInProcess(args)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Usage: glacis COMMAND\n\n {2}serve /)
})

it('describes a command', async () => {
  expect((await runInProcess(['doctor', '--help'])).stdout).toMatch(/^Usage: glacis doctor\n\nCheck settings/)
  expect((await runInProcess(['identity', 'create', '--help'])).stdout).toMatch(/^Usage: glacis identity COMMAND/)
  for (const name of ['packs', 'upgrade']) {
    const { code, stdout } = await runInProcess([name, '--help'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(`^Usage: glacis ${name} `) })
  }
})

it.each([
  [['sevre'], 'Unknown command "sevre"; did you mean "serve"? Run "npx glacis --help" for a list of commands.\n'],
  [['serve', '--port', '80'], '"glacis serve" takes no arguments. Run "npx glacis --help" for a list of commands.\n'],
  [['backup'], 'Pass the file to write, such as "npx glacis backup glacis.backup".\n'],
  [['restore'], 'Pass the backup file, such as "npx glacis restore glacis.backup".\n'],
  [['backup', 'a', 'b'], 'Pass only one file.\nUsage: glacis backup FILE [--recipient KEY] …\n'],
  [
    ['restore', 'a', '--recipient', 'b'],
    "Unknown option '--recipient'.\nUsage: glacis restore FILE [--identity KEY_FILE]\n",
  ],
  [
    ['identity', 'list', '--jsno'],
    'Unknown option \'--jsno\'. Run "npx glacis identity --help" for a list of options.\n',
  ],
  [['packs', 'status', '--jsno'], '"glacis packs status" takes no arguments except --json.\n'],
  [['packs', 'list'], 'Unknown command "glacis packs list". Run "npx glacis packs --help" for a list of commands.\n'],
  [['toString'], 'Unknown command "toString". Run "npx glacis --help" for a list of commands.\n'],
])('exits with 2 and an error message for %j', async (args, stderr) => {
  expect(await runInProcess(args)).toEqual({ code: 2, stdout: '', stderr })
})

it.each(['packs', 'identity', 'account', 'upgrade'])('exits with 2 and its usage for %s alone', async (name) => {
  const usage = (await runInProcess([name, '--help'])).stdout
  expect(usage).toMatch(`Usage: glacis ${name} `)
  expect(await runInProcess([name])).toEqual({ code: 2, stdout: '', stderr: usage })
})

it('finishes if the reader of its output has gone', async () => {
  // The command keeps writing after its first lines.
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'doctor'], { env: environment() })
  child.stdout.destroy()
  expect(await text(child.stderr)).toBe('')
})

it('exits with 1 and an error message for an invalid setting', async () => {
  const result = await glacis(['serve'], { GLACIS_PORT: 'eighty' })
  const stderr = 'Invalid configuration: GLACIS_PORT must be a port number from 1 to 65535.\n'
  expect(result).toEqual({ code: 1, stdout: '', stderr })
})

it('exits with 1 and an error message if the port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const result = await glacis(['serve'], { GLACIS_PORT: String(port) })
  other.close()
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toMatch(new RegExp(`^Port ${port} is in use\\. .* npm start\n$`))
})

it('exits with 1 and an error message if the database is unreachable', async () => {
  const url = 'postgresql://ann:hunter2@127.0.0.1:1/glacis'
  const result = await glacis(['serve'], { DATABASE_URL: url, GLACIS_PORT: '49151' })
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toMatch(/^Can't connect to the database in DATABASE_URL \(.*ECONNREFUSED.*\n$/)
  expect(result.stderr).not.toContain('hunter2')
})
