import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
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
  [[], /^No server given/],
  [['--server', 'nonsense'], /is not a valid server URL/],
  [['--server', 'http://192.0.2.1:3000'], /does not use TLS/],
  [['--server', 'http://127.61.3.1:1', '--token-file', '/nowhere'], /Could not read the token from \/nowhere/],
  [['--server', 'http://127.61.3.1:1', '--networks', 'ten'], /"ten" in --networks is not a network/],
  [['--server', 'http://127.61.3.1:1', '--state', '/dev/null/x'], /Can't use the folder \/dev\/null\/x/],
  [['--server', 'http://127.61.3.1:1', '--nonsense'], /^Unknown option/],
] as const)('exits with an error message for %j', async (args, message) => {
  const ended = run(process.execPath, ['agent.js', ...args], { cwd: folder, env: { HOME: folder } })
  await expect(ended).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) })
})
