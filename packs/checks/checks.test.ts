import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Observation } from '../../packages/contract/src/runner.ts'
import { readCatalog } from '../../lab/zoo/entry.ts'
import { createHttpClient } from '../../packages/scanner/src/net/http.ts'
import { loadTemplates, type CheckPlan } from '../../packages/scanner/src/template/plan.ts'
import { runChecks } from '../../packages/scanner/src/template/run.ts'
import * as cases from './cases.ts'
import { more } from './cases-more.ts'
import { selfHosted } from './cases-self-hosted.ts'
import { webApplications } from './cases-web.ts'
import { crlf } from './replies.ts'
import { address, script, tcp, web, type Running, type Site } from './servers.ts'

const guard = { denialReason: () => null }
const budget = { take: async () => undefined }
const all = [...cases.exposures, ...cases.web, ...cases.services, ...cases.tls, ...more, ...selfHosted, ...webApplications]
let loaded: Awaited<ReturnType<typeof loadTemplates>>
beforeAll(async () => {
  loaded = await loadTemplates([import.meta.dirname])
})

function only(...ids: readonly string[]): CheckPlan {
  return { templates: loaded.plan.templates.filter(({ info }) => ids.includes(info.id)) }
}

async function run(running: Running, protocol: string, plan: CheckPlan, deadlineMs = 5_000): Promise<Observation[]> {
  const http = createHttpClient({ guard, deadlineMs })
  const service = { port: running.port, transport: 'tcp', protocol, tls: running.tls, banner: '', technologies: [] } as const
  const target = { address, hostname: 'lab.test', basePath: '/', services: [service] }
  const tools = { http, guard, budget, profile: 'gentle', signal: AbortSignal.timeout(25_000) } as const
  const observations: Observation[] = []
  for await (const observation of runChecks(target, plan, tools)) observations.push(observation)
  await http.close()
  running.close()
  return observations
}

const findingsOf = (observations: readonly Observation[]) => observations.filter((observation) => observation.kind === 'finding')
const coveredBy = (observations: readonly Observation[]) => observations.flatMap((observation) => (observation.kind === 'coverage' ? observation.checks : []))

describe('the pack', () => {
  it('loads completely', () => {
    expect(loaded.rejected).toEqual([])
    expect(loaded.checks.length).toBeGreaterThan(110)
  })

  it('has a case here or a real program in the lab for every check', () => {
    const covered = new Set([...all.map(({ id }) => id), ...readCatalog().flatMap(({ weak }) => [...weak.proves, ...weak.also])])
    expect(loaded.checks.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([])
  })

  it('has a summary, impact, and remediation for each check', () => {
    for (const check of loaded.checks) {
      expect(check.summary.length, check.id).toBeGreaterThan(20)
      expect(check.impact.length, check.id).toBeGreaterThan(20)
      expect(check.remediation.length, check.id).toBeGreaterThan(20)
      expect(check.references.length, check.id).toBeGreaterThan(0)
      expect(check.references.every((reference) => reference.startsWith('https://')), check.id).toBe(true)
      expect(check.cvss, check.id).toMatch(/^CVSS:3\.1\/AV:/)
      expect(check.severity, check.id).toBe(bandOf(check.score))
    }
  })

  it('requests no path that ends or restarts a program', async () => {
    for (const { file } of loaded.plan.templates) {
      const text = await readFile(file, 'utf8')
      expect(text, file).not.toMatch(/BaseURL\}\}[^"'\s?]*\/(?:exit|halt|quit|reboot|restart|shutdown|stop)(?:["'\s?]|$)/im)
    }
  })

  it('is named by its file', async () => {
    for (const { file, info } of loaded.plan.templates) {
      expect(file.endsWith(`/${info.id}.yaml`), file).toBe(true)
      expect(await readFile(file, 'utf8')).toMatch(/cwe-id: CWE-\d+/)
    }
  })
})

/** Severity of a CVSS score (FIRST, qualitative severity rating scale). */
function bandOf(score: number | null): string {
  if (score === null) return 'info'
  if (score < 4) return 'low'
  if (score < 7) return 'medium'
  return score < 9 ? 'high' : 'critical'
}

describe.concurrent.each(all)('$id', (check) => {
  const serve = (what: typeof check.has, tls: typeof check.tls) =>
    check.protocol === undefined ? web(what as Site, tls) : tcp(what as Parameters<typeof tcp>[0])

  it('finds the weakness', async () => {
    const running = await serve(check.has, check.tls)
    const observations = await run(running, check.protocol ?? 'http', only(check.id))
    const findings = findingsOf(observations)
    const places = findings.map(({ location }) => location)
    if (check.at?.[0] === 'ANY') expect(places).toHaveLength(1)
    else expect(places).toEqual((check.at ?? []).map((at) => `${running.port}${at}`))
    for (const finding of findings) {
      expect(finding).toMatchObject({ check: check.id, threat: check.id, address, port: running.port })
      expect(finding.quality).toBeGreaterThanOrEqual(95)
      expect(finding.evidence).not.toBe('')
    }
  })

  it('reports no findings but full coverage for a secure server', async () => {
    const running = await serve(check.hasNot, check.healthyTls ?? check.tls)
    const observations = await run(running, check.protocol ?? 'http', only(check.id))
    expect(findingsOf(observations)).toEqual([])
    expect(coveredBy(observations)).toEqual([check.id])
  })
})

describe.concurrent('hosts without findings', () => {
  const exposed = () => only(...cases.exposures.map(({ id }) => id), ...cases.services.map(({ id }) => id), ...more.map(({ id }) => id), 'trace-enabled', 'cors-reflects-origin')

  it.each<[string, Site]>([
    ['returns 200 for every path', () => ({ headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' })],
    ['echoes the request', ({ raw }) => ({ headers: { 'content-type': 'text/plain' }, body: `You asked ${raw}` })],
    ['shows the same directory listing for every path', () => ({ body: '<title>Index of /</title>[core]\nrepositoryformatversion = 0\n' })],
    ['redirects everything', ({ path }) => ({ status: 302, headers: { location: `${path}x` } })],
    ['returns 500 for every path', () => ({ status: 500, body: 'no' })],
  ])('reports no false positives for a host that %s', async (name, site) => {
    const findings = findingsOf(await run(await web(site), 'http', exposed()))
    // Paths that begin with two slashes refer to another host, so this is an open redirect.
    const expected = name.startsWith('redirects') ? ['open-redirect-path'] : []
    expect([...new Set(findings.map(({ check }) => check))]).toEqual(expected)
  })

  it.each<[string, Parameters<typeof tcp>[0]]>([
    ['never answers', () => undefined],
    ['closes immediately', (socket) => socket.destroy()],
    ['answers HTTP with something else', (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
  ])('reports no findings or coverage for a host that %s', async (_name, talk) => {
    const observations = await run(await tcp(talk), 'http', loaded.plan, 200)
    expect(findingsOf(observations)).toEqual([])
    expect(coveredBy(observations)).toEqual([])
    expect(observations).toContainEqual(expect.objectContaining({ kind: 'problem', level: 'warn' }))
  })

  it('reports no coverage for a host that rejects requests as too many', async () => {
    const observations = await run(await web(() => ({ status: 429, body: 'slow down' })), 'http', exposed())
    expect(findingsOf(observations)).toEqual([])
    expect(coveredBy(observations)).toEqual([])
    const message = expect.stringMatching(/rejected \d+ requests as too many \(429\)/)
    expect(observations).toContainEqual(expect.objectContaining({ kind: 'problem', level: 'warn', message }))
  })

  it.each(cases.services.flatMap(({ id, protocol }) => (protocol ? [[id, protocol] as const] : [])))(
    '%s: reports nothing for a port that closes immediately',
    async (id, protocol) => {
      const observations = await run(await tcp((socket) => socket.destroy()), protocol, only(id))
      expect(observations).toEqual([])
    },
  )

  it('ignores a web page on the port of another service', async () => {
    const response = 'HTTP/1.1 400 Bad Request\r\n\r\nredis_version: memcached STAT pid'
    const observations = await run(await tcp(script('', () => response)), 'redis', only('redis-open'))
    expect(findingsOf(observations)).toEqual([])
  })
})

it.each([
  ['rejects unauthenticated senders', '554 5.7.1 Relay access denied', []],
  ['relays all mail', '250 2.1.5 Ok', ['smtp-open-relay']],
])('waits for a slow mail server that %s', async (_name, verdict, expected) => {
  const slow = (socket: Socket) => {
    socket.write(crlf('220 mx.lab.test ESMTP Postfix'))
    socket.on('data', (received) => {
      const response = received.toString().startsWith('RCPT') ? verdict : received.toString().startsWith('EHLO') ? '250-mx.lab.test\r\n250 VRFY' : '250 2.0.0 Ok'
      setTimeout(() => socket.writable && socket.write(crlf(response)), 600)
    })
  }
  const observations = await run(await tcp(slow), 'smtp', only('smtp-open-relay'))
  expect(findingsOf(observations).map(({ check }) => check)).toEqual(expected)
  expect(coveredBy(observations)).toEqual(['smtp-open-relay'])
})

it('masks the values of secrets in an exposed environment file but keeps their names', async () => {
  const site: Site = ({ path }) => (path === '/.env' ? { body: 'APP_ENV=production\nDB_PASSWORD=hunter2\nSTRIPE_KEY=sk_live_abcdefghijkl\n' } : null)
  const [finding] = findingsOf(await run(await web(site), 'http', only('env-file-exposed')))
  expect(finding?.evidence).toContain('DB_PASSWORD=••••••')
  expect(finding?.evidence).toContain('APP_ENV=production')
  expect(JSON.stringify(finding)).not.toMatch(/hunter2|abcdefghijkl/)
})
