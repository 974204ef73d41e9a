import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { sharedTestServer } from '#testing/test-server.ts'
import { checkAgents, checkClock, checkFeeds, checkMigrations, checkServer } from './database.ts'
import { checkDisk, checkMail, checkNode, checkPorts, checkSettings } from './machine.ts'

const server = await sharedTestServer()
const { owner } = server.database

describe('machine checks', () => {
  it('rejects a Node.js that cannot run the sources', () => {
    expect(checkNode('20.20.2')).toMatchObject({ level: 'error' })
    expect(checkNode()).toMatchObject({ level: 'ok' })
  })

  it('lists invalid settings and warns of unencrypted access from the network', () => {
    expect(checkSettings({ GLACIS_PORT: 'x' }, '/')).toMatchObject({ level: 'error' })
    const exposed = { GLACIS_HOST: '0.0.0.0', GLACIS_URL: 'http://glacis.example' }
    expect(checkSettings(exposed, '/')).toMatchObject({ level: 'warning' })
    expect(checkSettings({}, '/')).toMatchObject({ level: 'ok' })
  })

  it('measures free space of an existing folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'glacis-doctor-'))
    expect(await checkDisk(folder)).toMatchObject([{ check: 'disk', text: expect.stringContaining('GB free') }])
    await rm(folder, { recursive: true })
    const text = expect.stringMatching(/GB free in .*; the first start creates/)
    expect(await checkDisk(join(folder, 'data'))).toMatchObject([{ check: 'disk', text }])
  })

  it.skipIf(process.getuid?.() === 0)('reports folders that are not writable', async () => {
    expect(await checkDisk('/proc/none')).toMatchObject([{ level: 'error' }])
  })

  it('distinguishes Glacis from another program on its port', async () => {
    const glacis = createHttpServer((_request, response) => response.end('{"status":"ok"}'))
    const starting = createHttpServer((_request, response) => response.writeHead(503).end())
    const other = createServer((socket) => socket.end('220 other\r\n'))
    const texts = []
    for (const program of [glacis, starting, other]) {
      const port = await listen(program)
      const [result] = await checkPorts({ hosts: ['127.0.0.1'], port, metrics: null, dataFolder: '/nowhere' })
      texts.push(`${result?.level} ${result?.text.replaceAll(String(port), 'N')}`)
      program.close()
    }
    const metrics = createHttpServer((_request, response) => response.end('glacis_scans 0\n'))
    for (const program of [metrics, createServer((socket) => socket.end('220 other\r\n'))]) {
      const port = await listen(program)
      const result = (
        await checkPorts({ hosts: [], port: 1, metrics: { host: '127.0.0.1', port }, dataFolder: '/nowhere' })
      )[0]
      texts.push(`${result?.level} ${result?.text.replaceAll(String(port), 'N')}`)
      program.close()
    }
    expect(texts).toEqual([
      'ok Glacis is running at 127.0.0.1:N',
      "error Glacis at 127.0.0.1:N isn't ready (status 503). See its log.",
      'error 127.0.0.1:N is used by another program. Stop it, or set GLACIS_PORT.',
      'ok Metrics are served at 127.0.0.1:N',
      'error 127.0.0.1:N is used by another program. Stop it, or set GLACIS_METRICS.',
    ])
  })

  it('recognizes by the data folder that Glacis runs on another port', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'glacis-doctor-'))
    const free = createServer()
    const port = await listen(free)
    free.close()
    await once(free, 'close')
    const check = async () =>
      (await checkPorts({ hosts: ['127.0.0.1'], port, metrics: null, dataFolder: folder }))[0]?.text
    expect(await check()).toBe(`127.0.0.1:${port} is free; Glacis isn't running`)
    const lock = `const { lockFolder } = await import(process.argv[1]); await lockFolder(process.argv[2]); console.log('locked')`
    const other = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `${lock}; setInterval(() => {}, 1000)`,
        join(import.meta.dirname, '../../lock.ts'),
        folder,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await once(other.stdout, 'data')
    expect(await check()).toBe(`127.0.0.1:${port} is free; Glacis is running on another port with ${folder}`)
    other.kill()
    await once(other, 'exit')
    await rm(folder, { recursive: true })
  })

  it('reports a mail server that refuses the connection', async () => {
    const closed = createServer()
    const port = await listen(closed)
    closed.close()
    await once(closed, 'close')
    const result = await checkMail({ smtpUrl: `smtp://127.0.0.1:${port}`, dataFolder: '/data' })
    expect(result).toMatchObject({ level: 'error', text: expect.stringContaining('ECONNREFUSED') })
    expect(await checkMail({ smtpUrl: undefined, dataFolder: '/data' })).toMatchObject({ level: 'warning' })
  })
})

describe('database checks', () => {
  it('accepts a current database', async () => {
    expect(await checkServer(owner, true)).toMatchObject({ level: 'ok' })
    expect(await checkMigrations(owner)).toMatchObject({ level: 'ok' })
    expect(await checkClock(owner)).toMatchObject({ level: 'ok' })
    expect(await checkAgents(owner)).toMatchObject({ level: 'ok', text: 'none' })
  })

  it('names feeds that fail and warns if downloads are off', async () => {
    expect(await checkFeeds(owner, false)).toMatchObject([{ level: 'warning' }])
    await sql`insert into pack (name, version, records, skipped, state, problem, updated_at)
      values ('EPSS', '', 0, 0, 'STATE_FAILED', 'Status 503.', now())`.execute(owner)
    expect(await checkFeeds(owner, true)).toEqual([{ level: 'warning', check: 'feeds', text: 'EPSS: Status 503.' }])
    await sql`insert into pack (name, version, records, skipped, state, problem, updated_at)
      select name, '', 0, 0, 'STATE_FAILED', 'feeds.example is unreachable. Check the network connection.', now()
      from unnest(array['CISA KEV', 'NVD']) as name`.execute(owner)
    const texts = (await checkFeeds(owner, true)).map(({ text }) => text)
    expect(texts).toEqual([
      expect.stringMatching(/^The sources of 2 feeds are unreachable: CISA KEV, NVD\. .*"npx glacis packs import"/),
      'EPSS: Status 503.',
    ])
  })

  it('counts agents that never connected separately', async () => {
    await addAgent('never-seen', null)
    expect(await checkAgents(owner)).toMatchObject({ level: 'ok', text: '1 never connected' })
  })

  it('names disconnected agents', async () => {
    await addAgent('bern-dmz', new Date())
    expect(await checkAgents(owner)).toMatchObject({
      level: 'warning',
      text: expect.stringMatching(/^Disconnected: bern-dmz\./),
    })
  })

  async function addAgent(name: string, lastSeen: Date | null): Promise<void> {
    const workspace = await server.createWorkspace()
    await sql`insert into agent (account_id, id, name, last_seen_at, created_at, updated_at)
      values (${workspace}, gen_random_uuid(), ${name}, ${lastSeen}, now(), now())`.execute(owner)
  }

  it('recognizes a database of a newer release, and one that is not migrated yet', async () => {
    await sql`insert into kysely_migration (name, timestamp) values ('9999-future', '')`.execute(owner)
    expect(await checkMigrations(owner)).toMatchObject({ level: 'error' })
    await sql`delete from kysely_migration where name in ('9999-future', '0001-baseline')`.execute(owner)
    expect(await checkMigrations(owner)).toMatchObject({
      level: 'warning',
      text: expect.stringContaining('(1 migration)'),
    })
  })
})

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
