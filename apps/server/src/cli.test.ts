import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { version } from './version.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-cli-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Ending {
  readonly code: number | string | null | undefined
  readonly out: string
  readonly said: string
}

/** Runs the program to its end, with these settings over quiet ones. */
function glacis(words: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<Ending> {
  const env = { PATH: process.env['PATH'], GLACIS_DATA: folder, GLACIS_HOST: '127.0.0.1', ...settings }
  const { promise, resolve } = Promise.withResolvers<Ending>()
  execFile(process.execPath, [join(import.meta.dirname, 'main.ts'), ...words], { env }, (error, out, said) => {
    resolve({ code: error ? error.code : 0, out, said })
  })
  return promise
}

it('shows its version', async () => {
  expect(await glacis(['--version'])).toEqual({ code: 0, out: `${version}\n`, said: '' })
})

it.each([[['--help']], [[]]])('explains itself to %j', async (words) => {
  const { code, out } = await glacis(words)
  expect(code).toBe(0)
  expect(out).toMatch(/^Usage: glacis <command>\n\n {2}serve /)
})

it.each([
  [['sevre'], 'Unknown command "sevre". Run "glacis --help" for a list of commands.\n'],
  [['serve', '--port', '80'], '"glacis serve" takes no arguments. Run "glacis --help" for a list of commands.\n'],
  [['toString'], 'Unknown command "toString". Run "glacis --help" for a list of commands.\n'],
])('answers %j with a sentence and 2', async (words, said) => {
  expect(await glacis(words)).toEqual({ code: 2, out: '', said })
})

it('ends with a sentence and 1 for a wrong setting', async () => {
  const ending = await glacis(['serve'], { GLACIS_PORT: 'eighty' })
  const said = 'Invalid configuration: GLACIS_PORT must be a port number from 1 to 65535.\n'
  expect(ending).toEqual({ code: 1, out: '', said })
})

it('ends with a sentence and 1 for a taken port', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const ending = await glacis(['serve'], { GLACIS_PORT: String(port) })
  other.close()
  expect(ending).toMatchObject({ code: 1, out: '' })
  expect(ending.said).toMatch(new RegExp(`^Port ${port} is in use\\. .* npm start\n$`))
})

it('ends with a sentence and 1 for a database that is not there', async () => {
  const url = 'postgresql://ann:hunter2@127.0.0.1:1/glacis'
  const ending = await glacis(['serve'], { DATABASE_URL: url, GLACIS_PORT: '49151' })
  expect(ending).toMatchObject({ code: 1, out: '' })
  expect(ending.said).toMatch(/^Can't connect to the database in DATABASE_URL \(.*ECONNREFUSED.*\n$/)
  expect(ending.said).not.toContain('hunter2')
})
