/** Programs of other versions, as archives that a server offers. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fetchUpdate, runUpdate } from './update.ts'

const connecting =
  "process.send('connected'); process.once('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000)"
const silent = 'setInterval(() => {}, 1000)'
const signal = AbortSignal.timeout(60_000)

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-agent-update-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A server that offers this program; `digest` defaults to the correct one. */
async function offer(code: string, digest?: string) {
  await writeFile(join(folder, 'agent.js'), code)
  const archive = execFileSync('tar', ['-czf', '-', '-C', folder, 'agent.js'])
  const description = { version: '2.0.0', digest: digest ?? createHash('sha256').update(archive).digest('hex') }
  const downloads: string[] = []
  return {
    downloads,
    download(path: string) {
      downloads.push(path)
      return Promise.resolve(path.endsWith('.json') ? Buffer.from(JSON.stringify(description)) : archive)
    },
  }
}
const state = () => join(folder, 'state')

async function fetched(code: string) {
  const server = await offer(code)
  const again = () => fetchUpdate(server, '1.0.0', state(), signal)
  const update = await again()
  if (!update) throw new Error('there is an update')
  return { update, again }
}

it('fetches a program once', async () => {
  const server = await offer(connecting)
  const update = await fetchUpdate(server, '1.0.0', state(), signal)
  expect(await readFile(join(update?.folder ?? '', 'agent.js'), 'utf8')).toBe(connecting)
  await fetchUpdate(server, '1.0.0', state(), signal)
  expect(server.downloads.filter((path) => path.endsWith('.tgz'))).toHaveLength(1)
})

it('keeps a program of the same version', async () => {
  expect(await fetchUpdate(await offer(connecting), '2.0.0', state(), signal)).toBeNull()
})

it('rejects a program with another digest', async () => {
  const server = await offer(connecting, 'a'.repeat(64))
  await expect(fetchUpdate(server, '1.0.0', state(), signal)).rejects.toThrow('does not match its digest')
})

it('runs a program that connects until it is stopped', async () => {
  const { update, again } = await fetched(connecting)
  const stopping = new AbortController()
  const ended = runUpdate(update, { args: [], token: undefined, stateFolder: state(), signal: stopping.signal })
  stopping.abort()
  // Stopped before or after it has connected: either way it isn't a failed update.
  expect(await ended).not.toBeNull()
  expect(await again()).toEqual(update)
})

it.each([
  ['does not connect in time', silent],
  ['crashes', 'process.exit(3)'],
])('returns to the installed program if the new one %s, and does not try it again', async (_, code) => {
  const { update, again } = await fetched(code)
  const options = { args: [], token: undefined, stateFolder: state(), signal, withinMs: 500 }
  expect(await runUpdate(update, options)).toBeNull()
  expect(await again()).toBeNull()
})

it('reports the exit code of a program that has connected', async () => {
  const code = "process.send('connected', () => process.exit(78))"
  const options = { args: [], token: undefined, stateFolder: state(), signal }
  const { update } = await fetched(code)
  expect(await runUpdate(update, options)).toBe(78)
})
