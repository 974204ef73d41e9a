import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { agentArchive } from '#agents/archive.ts'

const root = resolve(import.meta.dirname, '../../../..')
const run = promisify(execFile)
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-agent-'))
  await writeFile(join(folder, 'agent.tgz'), await agentArchive(root))
  await run('tar', ['-xzf', 'agent.tgz'], { cwd: folder })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('runs where it was unpacked, without the project', async () => {
  const { stdout } = await run(process.execPath, ['agent.js', '--help'], { cwd: folder })
  expect(stdout).toMatch(/^Usage: glacis agent --server URL/)
})

it('contains an install script with valid shell syntax', async () => {
  await expect(run('sh', ['-n', 'install.sh'], { cwd: folder })).resolves.toBeDefined()
  await expect(run('sh', ['install.sh'], { cwd: folder })).rejects.toMatchObject({ code: 2 })
})

it('names the required Node.js version on an older one', async () => {
  // Only the entry point has to run there; `--import` replaces the version before it is evaluated.
  const older = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`
  await expect(run(process.execPath, ['--import', older, 'agent.js', '--help'], { cwd: folder })).rejects.toMatchObject(
    {
      code: 78,
      stderr: expect.stringMatching(
        /^The agent requires Node\.js 26 or later, but .* is version 20\.20\.2\. Install it from/,
      ),
    },
  )
})

it('can check the connection to its server without starting', async () => {
  const server = createServer((_, response) => response.end(JSON.stringify(description))).listen(0, '127.61.3.1')
  await once(server, 'listening')
  const url = `http://127.61.3.1:${(server.address() as AddressInfo).port}`
  const check = () => run(process.execPath, ['agent.js', '--server', url, '--check'], { cwd: folder })
  let description: object = { version: '2.0.0', digest: 'a'.repeat(64) }
  await expect(check()).resolves.toMatchObject({ stdout: `${url} is reachable and has version 2.0.0.\n` })
  description = { name: 'another server' }
  await expect(check()).rejects.toMatchObject({ code: 1, stderr: `${url} is not a Glacis server.\n` })
  server.close()
  await once(server, 'close')
  await expect(check()).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/refused the connection/) })
})

it('contains the whole scanner', async () => {
  const code = `
    const { loadPacks, scan } = await import('@glacis/scanner')
    const packs = await loadPacks({ checks: [], fingerprints: [] })
    const job = { hosts: [{ address: '127.61.3.1', names: [] }], ports: [1], allow: ['127.61.3.1'] }
    const seen = []
    for await (const one of scan(job, { packs, signal: AbortSignal.timeout(20_000) })) seen.push(one.kind)
    console.log(seen.join(' '))`
  await writeFile(join(folder, 'try.js'), code)
  const { stdout } = await run(process.execPath, ['try.js'], { cwd: folder })
  expect(stdout).toContain('host')
}, 60_000)

it.each([
  [[], 2, /^No server given/],
  [['--server', 'nonsense'], 2, /isn't the URL of a server/],
  [['--server', 'http://192.0.2.1:3000'], 2, /does not use TLS/],
  [['--server', 'http://127.61.3.1:1', '--token-file', '/nowhere'], 1, /Can't read the token from \/nowhere/],
  [['--server', 'http://127.61.3.1:1', '--networks', 'ten'], 2, /"ten" in --networks isn't a network/],
  [['--server', 'http://127.61.3.1:1', '--state', '/dev/null/x'], 1, /Can't use the folder \/dev\/null\/x/],
  [['--server', 'http://127.61.3.1:1', '--nonsense'], 2, /^Unknown option/],
] as const)('exits with an error message for %j', async (args, code, message) => {
  const ended = run(process.execPath, ['agent.js', ...args], { cwd: folder, env: { HOME: folder } })
  await expect(ended).rejects.toMatchObject({ code, stderr: expect.stringMatching(message) })
})
