import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ScanJob } from '@glacis/contract/runner'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scanInProcess } from '#scans/scan-process.ts'

const request = { job: {} as ScanJob, knownOpen: {}, packs: {} as never } // the modules below ignore it

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-process-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Seen {
  readonly pid: number
  readonly env: string[]
}

/** Runs a module in place of the scanner. It reports its process, then runs `body`. */
async function run(body: string, onSeen: (seen: Seen) => void = () => undefined, stop = new AbortController()) {
  const path = join(folder, `${crypto.randomUUID()}.mjs`)
  const report = 'process.send({ observation: { pid: process.pid, env: Object.keys(process.env) } }, () => { BODY })'
  await writeFile(path, `process.once('message', () => ${report.replace('BODY', body)})`)
  const all: Seen[] = []
  const failure = await scanInProcess(request, {
    signal: stop.signal,
    module: pathToFileURL(path),
    withoutAccelerator: () => undefined,
    observed(message) {
      const seen = message as Seen // sent by the module above
      all.push(seen)
      onSeen(seen)
    },
  }).catch((error: unknown) => error)
  expect(all).toHaveLength(1)
  const pid = all[0]?.pid ?? 0
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  return failure
}

it('runs with lower priority and without environment variables, and ends the process', async () => {
  const check = ({ pid, env }: Seen) => {
    expect(env).toEqual([])
    expect(getPriority(pid)).toBeGreaterThan(getPriority())
  }
  expect(await run('process.send({ done: true })', check)).toBeUndefined()
})

it('survives a process that exceeds its heap', async () => {
  const failure = await run('const all = []; for (;;) all.push(new Array(1e5).fill(all.length))')
  expect(String(failure)).toMatch(/the scanner process exited with (SIGABRT|SIGTRAP|code 13\d)/)
}, 60_000)

it('survives a process that is killed', async () => {
  const failure = await run('setInterval(() => {}, 1000)', ({ pid }) => process.kill(pid, 'SIGKILL'))
  expect(String(failure)).toContain('the scanner process exited with SIGKILL')
})

it('stops a process that loops forever', async () => {
  const stop = new AbortController()
  const failure = await run('for (;;);', () => stop.abort(new Error('cancelled')), stop)
  expect(String(failure)).toContain('cancelled')
})
