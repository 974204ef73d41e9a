import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { callbackAddressExpects } from '#callbacks.ts'
import { createProgress } from '#commands/scan/progress.ts'
import { runInProcess } from '#testing/command.ts'

const address = '127.67.1.1'
const template = `id: lab-welcome
info: { name: Welcome, author: lab, severity: info }
http:
  - method: GET
    path: ["{{BaseURL}}/welcome"]
    matchers: [{ type: word, words: ["hello from the lab"] }]
`
const extractingTemplate = `id: lab-extracts
info: { name: Extracts, author: lab, severity: info }
http:
  - method: GET
    path: ["{{BaseURL}}/welcome"]
    extractors: [{ type: regex, part: body, group: 1, regex: ["from the (\\\\w+)"] }]
`
const missingTemplate = `id: lab-missing
info: { name: Missing, author: lab, severity: info }
http:
  - method: GET
    path: ["{{BaseURL}}/missing"]
    matchers: [{ type: status, status: [404] }]
`
const callingTemplate = `id: lab-calls
info: { name: Calls, author: lab, severity: high }
http:
  - raw: ["GET /call?to=http://{{interactsh-url}} HTTP/1.1\\nHost: {{Hostname}}\\n\\n"]
    matchers: [{ type: word, part: interactsh_protocol, words: [http] }]
`
const listener: RequestListener = ({ url }, response) => {
  const to = url?.split('/call?to=')[1]
  if (to) return void fetch(to).finally(() => response.end())
  const body =
    url === '/.git/config' ? '[core]\n\trepositoryformatversion = 0\n' : url === '/welcome' ? 'hello from the lab' : ''
  response.writeHead(body === '' ? 404 : 200, { 'content-type': 'text/plain' }).end(body)
}
const server = createServer(listener)
let port: string
let folder: string
let callbackTemplates: string
beforeAll(async () => {
  server.listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  port = String(typeof bound === 'object' && bound ? bound.port : 0)
  folder = await mkdtemp(join(tmpdir(), 'glacis-scan-'))
  callbackTemplates = join(folder, 'calling')
  await mkdir(callbackTemplates)
  await writeFile(join(folder, 'welcome.yaml'), template)
  await writeFile(join(folder, 'broken.yaml'), 'id: [')
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

const scan = (...args: readonly string[]) => runInProcess(['scan', ...args])
const Line = z.looseObject({
  kind: z.enum(['host', 'service', 'technology', 'finding', 'coverage', 'skipped', 'doubted', 'problem']),
})
const linesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)))

it('prints one JSON object per line and exits with 1 for confirmed findings', async () => {
  const { code, stdout, stderr } = await scan(address, '--ports', port, '--json')
  const lines = linesOf(stdout)
  expect(lines.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['host', 'service', 'finding', 'coverage']))
  expect(lines.find(({ check }) => check === 'git-config-exposed')).toMatchObject({
    kind: 'finding',
    threat: 'git-config-exposed',
    severity: 'high',
    host: address,
    port: Number(port),
    location: `${port}/.git/config`,
    quality: 99,
    evidence: expect.stringContaining('[core]'),
  })
  expect([code, stderr]).toEqual([1, ''])
})

it('scans only the port of HOST:PORT', async () => {
  const { code, stdout } = await scan(`${address}:${port}`, '--json')
  const lines = linesOf(stdout)
  expect(lines.filter(({ kind }) => kind === 'service')).toEqual([expect.objectContaining({ port: Number(port) })])
  expect([code, lines.map(({ check }) => check)]).toEqual([1, expect.arrayContaining(['git-config-exposed'])])
})

it('scans only the port of [IPV6]:PORT', async () => {
  const other = createServer(listener).listen(0, '::1')
  await once(other, 'listening')
  const bound = other.address()
  try {
    const { stdout } = await scan(`[::1]:${typeof bound === 'object' && bound ? bound.port : 0}`, '--json')
    expect(linesOf(stdout).map(({ check }) => check)).toContain('git-config-exposed')
  } finally {
    other.closeAllConnections()
    other.close()
  }
})

it('replaces the built-in checks with --templates and reports unreadable ones', async () => {
  const { code, stdout } = await scan(address, '--ports', port, '--json', '--templates', folder)
  const lines = linesOf(stdout)
  expect(lines.filter(({ kind }) => kind === 'finding').map(({ check }) => check)).toEqual(['lab-welcome'])
  expect(lines.find(({ kind }) => kind === 'problem')).toMatchObject({
    message: expect.stringContaining('broken.yaml'),
  })
  expect(code).toBe(1)
})

it('reports extracted values and doubted matches of nuclei templates', async () => {
  const nucleiTemplates = join(folder, 'nuclei')
  await mkdir(nucleiTemplates)
  await writeFile(join(nucleiTemplates, 'extracts.yaml'), extractingTemplate)
  await writeFile(join(nucleiTemplates, 'missing.yaml'), missingTemplate)
  const args = [`${address}:${port}`, '--json', '--templates', nucleiTemplates]
  const lines = linesOf((await scan(...args)).stdout)
  expect(lines.find(({ kind }) => kind === 'finding')).toMatchObject({ check: 'lab-extracts', extracted: ['lab'] })
  expect(lines.find(({ kind }) => kind === 'doubted')).toMatchObject({
    check: 'lab-missing',
    reason: expect.stringContaining('nonexistent paths'),
  })
  const all = linesOf((await scan(...args, '--as-nuclei')).stdout)
  expect(all.flatMap(({ kind, check }) => (kind === 'finding' ? [check] : []))).toContain('lab-missing')
  const some = linesOf((await scan(...args, '--as-nuclei', '--id', 'lab-miss*')).stdout)
  expect(some.flatMap(({ kind, check }) => (kind === 'finding' ? [check] : []))).toEqual(['lab-missing'])
})

it('lists each rejected template with the reason and fails when none can run', async () => {
  const file = join(folder, 'code.yaml')
  await writeFile(file, 'id: code\ninfo: { name: a, severity: info }\ncode:\n  - source: id\n')
  const { code, stdout, stderr } = await scan(`${address}:${port}`, '--templates', file)
  await rm(file)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${file}: line 4: code is not supported`)])
})

it('runs checks that need callbacks only with --callbacks', async () => {
  await writeFile(join(callbackTemplates, 'calls.yaml'), callingTemplate)
  const findingsOf = (stdout: string) =>
    linesOf(stdout).flatMap(({ kind, check }) => (kind === 'finding' ? [check] : []))
  const args = [`http://${address}:${port}/`, '--json', '--templates', callbackTemplates]
  expect(findingsOf((await scan(...args)).stdout)).toEqual([])
  const withCallbacks = await scan(...args, '--callbacks', '127.67.1.3:18601')
  expect([findingsOf(withCallbacks.stdout), withCallbacks.code]).toEqual([['lab-calls'], 1])
})

it('writes SARIF with a rule per check and a result per finding', async () => {
  const { stdout } = await scan(`http://${address}:${port}/`, '--sarif')
  const log = z
    .object({
      version: z.literal('2.1.0'),
      runs: z.array(
        z.object({
          tool: z.object({ driver: z.object({ rules: z.array(z.object({ id: z.string() })) }) }),
          results: z.array(z.object({ ruleId: z.string(), ruleIndex: z.number(), locations: z.array(z.unknown()) })),
        }),
      ),
    })
    .parse(JSON.parse(stdout))
  const [run] = log.runs
  expect(run?.results.map(({ ruleId }) => ruleId)).toContain('git-config-exposed')
  for (const { ruleId, ruleIndex } of run?.results ?? []) expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId)
  expect(stdout).toContain(`"uri": "http://${address}:${port}/.git/config"`)
})

const closed = 'Note: 127.67.1.2: no open ports; 1 port refused the connection.\n'

it('exits with 0 and a summary if nothing is confirmed', async () => {
  const { code, stdout } = await scan('127.67.1.2', '--ports', port)
  expect([code, stdout]).toEqual([0, `${closed}\n0 of 1 host with services, 0 findings.\n`])
})

it('exits with 2 and the reason if a given port or URL does not respond', async () => {
  const stderr = 'No service responded at the given address. Check the port and that the service is running.\n'
  const stdout = `${closed}\n0 of 1 host with services, 0 findings.\n`
  expect(await scan(`127.67.1.2:${port}`)).toEqual({ code: 2, stdout, stderr })
  expect(await scan(`http://127.67.1.2:${port}/`)).toEqual({ code: 2, stdout, stderr })
})

it.each([
  [[], 'No address given. Run "npx glacis scan --help" for a list of options.'],
  [['300.1.1.1'], "'300.1.1.1' is not an IPv4 address: use four numbers from 0 to 255 without leading zeros."],
  [['127.67.1.1', '--profile', 'wild'], "Unknown profile 'wild'; choose gentle, standard, or deep."],
  [['127.67.1.1', '--json', '--sarif'], 'Choose either --json or --sarif, not both.'],
  [['127.67.1.1', '--ports', '0'], "'0' contains a port outside 1 to 65,535."],
  [['127.67.1.1:0'], "'0' contains a port outside 1 to 65,535."],
  [['127.67.1.1:80', '--ports', '81'], 'Set ports in the address or in --ports, not both.'],
  [
    ['127.67.1.1:80', '127.67.1.2:81'],
    'Scan addresses with different ports separately, or set the ports with --ports.',
  ],
  [['127.67.1.1', '--callbacks', '192.0.2.1:0'], `--callbacks expects ${callbackAddressExpects}.`],
  [['127.67.1.1', '--fast'], 'Unknown option \'--fast\'. Run "npx glacis scan --help" for a list of options.'],
  [
    ['127.67.1.1', '--templates', '/nowhere'],
    "Can't read /nowhere given in --templates. Check that it exists and is readable.",
  ],
  [['169.254.169.254'], '169.254.169.254 is a cloud metadata address, which is never scanned.'],
])('exits with 2 and one error message for %j', async (args, message) => {
  expect(await scan(...args)).toEqual({ code: 2, stdout: '', stderr: `${message}\n` })
})

it.each([
  ['127.67.1.0/24', '127.67.2.1 is outside GLACIS_SCAN_NETWORKS (127.67.1.0/24). Change the setting to scan it.'],
  ['public', '127.67.1.1 is outside GLACIS_SCAN_NETWORKS (public). Change the setting to scan it.'],
  ['loopback', 'GLACIS_SCAN_NETWORKS must be all, public, or a list of networks such as 10.0.0.0/8,2001:db8::/32'],
])('scans nothing if an address is outside GLACIS_SCAN_NETWORKS=%s', async (networks, message) => {
  const result = await runInProcess(['scan', '127.67.1.1', '127.67.2.1'], { GLACIS_SCAN_NETWORKS: networks })
  expect(result).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
})

it('shows the progress bar on a terminal only', () => {
  const written: string[] = []
  const write = (text: string) => written.push(text) > 0
  createProgress({ write }, 4).show({ kind: 'progress', phase: 'PHASE_PORTS', hostsDone: 1 })
  expect(written).toEqual([])
  createProgress({ isTTY: true, columns: 80, write }, 4).show({ kind: 'progress', phase: 'PHASE_PORTS', hostsDone: 1 })
  expect(written.join('')).toContain('██████░░░░░░░░░░░░░░░░░░  25%  1 of 4 hosts  scanning ports')
})
