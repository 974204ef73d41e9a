import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Observation } from '@glacis/contract/runner'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scanInProcess } from '#scan-process.ts'
import { serveSite } from '#template/testing/site.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-process-'))
  await writeFile(
    join(folder, 'hello.yaml'),
    'id: hello\ninfo: { name: hello, severity: low }\nhttp:\n  - path: ["{{BaseURL}}/hello"]\n    matchers: [{ type: word, words: [welcome] }]\n',
  )
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('scans in a process with the same observations as in this one', async () => {
  await using site = await serveSite('127.66.9.1', (request, response) =>
    request.url === '/hello' ? response.end('welcome') : response.writeHead(404).end(),
  )
  const job = { hosts: [{ address: '127.66.9.1' }], ports: [site.port], allow: ['127.66.9.0/24'] }
  const seen: Observation[] = []
  await scanInProcess(
    { job, knownOpen: {}, packs: { checks: [folder], fingerprints: [] } },
    {
      signal: AbortSignal.timeout(30_000),
      observed: (one) => void seen.push(one),
      withoutAccelerator: () => undefined,
    },
  )
  expect(seen.filter(({ kind }) => kind !== 'progress').map(({ kind }) => kind)).toEqual([
    'host',
    'service',
    'finding',
    'coverage',
  ])
})
