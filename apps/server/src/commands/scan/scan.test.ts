import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { callbackPlaceExpects } from '#callbacks.ts'
import { createProgress } from '#commands/scan/progress.ts'

const address = '127.67.1.1'
const template = `id: lab-welcome
info: { name: Welcome, author: lab, severity: info }
http:
  - method: GET
    path: ["{{BaseURL}}/welcome"]
    matchers: [{ type: word, words: ["hello from the lab"] }]
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
let calling: string
beforeAll(async () => {
  server.listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  port = String(typeof bound === 'object' && bound ? bound.port : 0)
  folder = await mkdtemp(join(tmpdir(), 'glacis-scan-'))
  calling = join(folder, 'calling')
  await mkdir(calling)
  await writeFile(join(folder, 'welcome.yaml'), template)
  await writeFile(join(folder, 'broken.yaml'), 'id: [')
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

/** Runs the program without Glacis settings or a database. */
async function scan(...words: readonly string[]): Promise<{ code: number; out: string; said: string }> {
  const program = join(import.meta.dirname, '../../main.ts')
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [program, 'scan', ...words], { env: { PATH, NODE_COMPILE_CACHE } })
  let out = ''
  let said = ''
  child.stdout.on('data', (part: Buffer) => (out += part.toString()))
  child.stderr.on('data', (part: Buffer) => (said += part.toString()))
  const [code] = await once(child, 'close')
  return { code, out, said }
}
const Line = z.looseObject({ kind: z.enum(['host', 'service', 'technology', 'finding', 'coverage', 'problem']) })
const linesOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)))

it('prints one object a line and ends with 1 when something is proved', async () => {
  const { code, out, said } = await scan(address, '--ports', port, '--json')
  const lines = linesOf(out)
  expect(lines.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['host', 'service', 'finding', 'coverage']))
  expect(lines.find(({ check }) => check === 'git-config-exposed')).toMatchObject({
    kind: 'finding',
    threat: 'git-config-exposed',
    severity: 'medium',
    host: address,
    port: Number(port),
    location: `${port}/.git/config`,
    quality: 99,
    evidence: expect.stringContaining('[core]'),
  })
  expect([code, said]).toEqual([1, ''])
})

it('scans the one port of HOST:PORT', async () => {
  const { code, out } = await scan(`${address}:${port}`, '--json')
  const lines = linesOf(out)
  expect(lines.filter(({ kind }) => kind === 'service')).toEqual([expect.objectContaining({ port: Number(port) })])
  expect([code, lines.map(({ check }) => check)]).toEqual([1, expect.arrayContaining(['git-config-exposed'])])
})

it('scans the one port of [IPV6]:PORT', async () => {
  const other = createServer(listener).listen(0, '::1')
  await once(other, 'listening')
  const bound = other.address()
  try {
    const { out } = await scan(`[::1]:${typeof bound === 'object' && bound ? bound.port : 0}`, '--json')
    expect(linesOf(out).map(({ check }) => check)).toContain('git-config-exposed')
  } finally {
    other.closeAllConnections()
    other.close()
  }
})

it('runs the templates of a folder in place of our own, and tells which it could not read', async () => {
  const { code, out } = await scan(address, '--ports', port, '--json', '--templates', folder)
  const lines = linesOf(out)
  expect(lines.filter(({ kind }) => kind === 'finding').map(({ check }) => check)).toEqual(['lab-welcome'])
  expect(lines.find(({ kind }) => kind === 'problem')).toMatchObject({
    message: expect.stringContaining('broken.yaml'),
  })
  expect(code).toBe(1)
})

it('finds what calls back with --callbacks, and does not ask for it without', async () => {
  await writeFile(join(calling, 'calls.yaml'), callingTemplate)
  const found = (out: string) => linesOf(out).flatMap(({ kind, check }) => (kind === 'finding' ? [check] : []))
  const words = [`http://${address}:${port}/`, '--json', '--templates', calling]
  expect(found((await scan(...words)).out)).toEqual([])
  const heard = await scan(...words, '--callbacks', '127.67.1.3:18601')
  expect([found(heard.out), heard.code]).toEqual([['lab-calls'], 1])
})

it('writes SARIF with a rule per check and a result per finding', async () => {
  const { out } = await scan(`http://${address}:${port}/`, '--sarif')
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
    .parse(JSON.parse(out))
  const [run] = log.runs
  expect(run?.results.map(({ ruleId }) => ruleId)).toContain('git-config-exposed')
  for (const { ruleId, ruleIndex } of run?.results ?? []) expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId)
  expect(out).toContain(`"uri": "http://${address}:${port}/.git/config"`)
})

it('ends with 0 where nothing is proved, and with a text that says so', async () => {
  const { code, out } = await scan('127.67.1.2', '--ports', port)
  expect([code, out]).toEqual([0, '0 of 1 host with services, 0 findings.\n'])
})

it.each([
  [[], 'No address given; "glacis scan --help" lists the options.'],
  [['300.1.1.1'], "'300.1.1.1' is not an IPv4 address: use four numbers from 0 to 255 without leading zeros."],
  [['127.67.1.1', '--profile', 'wild'], 'Unknown profile "wild"; choose gentle, standard, or deep.'],
  [['127.67.1.1', '--json', '--sarif'], 'Choose either --json or --sarif, not both.'],
  [['127.67.1.1', '--ports', '0'], "'0' contains a port outside 1 to 65,535."],
  [['127.67.1.1:0'], "'0' contains a port outside 1 to 65,535."],
  [['127.67.1.1:80', '--ports', '81'], 'Set ports in the address or in --ports, not both.'],
  [
    ['127.67.1.1:80', '127.67.1.2:81'],
    'Scan addresses with different ports separately, or set the ports with --ports.',
  ],
  [['127.67.1.1', '--callbacks', '192.0.2.1:0'], `--callbacks expects ${callbackPlaceExpects}.`],
  [['127.67.1.1', '--fast'], 'Unknown option \'--fast\'; "glacis scan --help" lists the options.'],
  [['127.67.1.1', '--templates', '/nowhere'], 'Could not read the --templates folder /nowhere.'],
  [['169.254.169.254'], '169.254.169.254 is a cloud metadata address, which is never scanned.'],
])('answers %j with one sentence and 2', async (words, sentence) => {
  expect(await scan(...words)).toEqual({ code: 2, out: '', said: `${sentence}\n` })
})

it('draws its progress on a terminal, and nowhere else', () => {
  const written: string[] = []
  const write = (text: string) => written.push(text) > 0
  createProgress({ write }, 4).show({ kind: 'progress', phase: 'PHASE_PORTS', hostsDone: 1 })
  expect(written).toEqual([])
  createProgress({ isTTY: true, columns: 80, write }, 4).show({ kind: 'progress', phase: 'PHASE_PORTS', hostsDone: 1 })
  expect(written.join('')).toContain('██████░░░░░░░░░░░░░░░░░░  25 %  1 of 4 hosts  asking ports')
})
