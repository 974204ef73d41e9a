/**
 * Shared by the benchmarks of the template engine: the templates, the reference verdicts, and running a plan on one
 * service.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import type { Observation } from '@glacis/contract/runner'
import { compileFingerprints } from '../../packages/scanner/src/fingerprint/match.ts'
import { loadRecog } from '../../packages/scanner/src/fingerprint/recog.ts'
import { webPathsOf } from '../../packages/scanner/src/fingerprint/web-paths.ts'
import { identifyPort } from '../../packages/scanner/src/identify.ts'
import { createHttpClient } from '../../packages/scanner/src/net/http.ts'
import type { CheckPlan } from '../../packages/scanner/src/template/plan.ts'
import { runChecks } from '../../packages/scanner/src/template/run.ts'

/** Folder of the benchmark data. Benchmarks without data report that and exit successfully. */
export const shared = resolve(process.env['GLACIS_SHARED'] ?? join(import.meta.dirname, '../../../shared'))
export const cacheFolder = join(tmpdir(), 'glacis-bench')

/**
 * Unpacks the public templates once and returns their folder.
 *
 * @returns undefined if the archive is missing
 */
export function corpusFolder(): string | undefined {
  const data = join(shared, 'data')
  const name = existsSync(data)
    ? readdirSync(data).find((item) => /^nuclei-templates-.*\.tar\.zst$/.test(item))
    : undefined
  if (name === undefined) return undefined
  const folder = join(cacheFolder, name.replace('.tar.zst', ''))
  if (!existsSync(folder)) for (const [path, bytes] of members(join(data, name))) writeBelow(folder, path, bytes)
  return folder
}

/** Files of a tar archive (POSIX ustar), with names of up to a hundred bytes and a prefix. */
function* members(archive: string): Iterable<readonly [string, Buffer]> {
  const tar = zstdDecompressSync(readFileSync(archive))
  const text = (at: number, length: number) => tar.toString('utf8', at, at + length).replace(/\0.*$/s, '')
  let longName = ''
  for (let at = 0; at + 512 <= tar.length;) {
    const size = parseInt(text(at + 124, 12), 8) || 0
    const type = text(at + 156, 1)
    const prefix = text(at + 257, 5) === 'ustar' ? text(at + 345, 155) : ''
    const data = tar.subarray(at + 512, at + 512 + size)
    const name = longName || (prefix === '' ? text(at, 100) : `${prefix}/${text(at, 100)}`)
    longName = type === 'L' ? data.toString('utf8').replace(/\0.*$/s, '') : ''
    if (name !== '' && (type === '0' || type === '')) yield [name, data]
    at += 512 + Math.ceil(size / 512) * 512
  }
}

function writeBelow(folder: string, path: string, bytes: Buffer): void {
  const file = resolve(folder, path)
  if (!file.startsWith(folder + sep)) throw new Error(`${path} is outside the target folder`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, bytes)
}

/** Reads the lines of a file that may be compressed. */
export function linesOf(file: string): string[] {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes).toString('utf8')
  return text.split('\n').filter((line) => line !== '')
}

export interface ExamineResult {
  readonly observations: readonly Observation[]
  readonly requests: number
  readonly seconds: number
  readonly cpuSeconds: number
}
export interface ServiceAddress {
  readonly address: string
  readonly port: number
}

/** Identifies one port and runs the plan on it, without rate limits. */
export async function createExaminer(fingerprintFolder: string) {
  const recog = await loadRecog([fingerprintFolder])
  const fingerprints = compileFingerprints(recog.files)
  const webPaths = webPathsOf(recog.files)
  const guard = { denialReason: (address: string) => (address.startsWith('127.') ? null : 'not a loopback address') }
  return async (
    { address, port }: ServiceAddress,
    plan: CheckPlan,
    isExhaustive: boolean,
    deadlineMs = 600_000,
  ): Promise<ExamineResult> => {
    const client = createHttpClient({ guard, perHostConnections: 12 })
    let requests = 0
    const http: typeof client = {
      ...client,
      request: (...args) => {
        requests += 1
        return client.request(...args)
      },
    }
    const signal = AbortSignal.timeout(deadlineMs)
    const budget = { take: async () => undefined }
    const startedAt = performance.now()
    const startedCpu = process.cpuUsage()
    const observations: Observation[] = []
    try {
      const endpoint = { address, port, hostname: address }
      const identified = await identifyPort(endpoint, { guard, budget, http: client, fingerprints, webPaths, signal })
      const services = [{ ...identified.service, technologies: identified.technologies }]
      const target = { address, hostname: address, basePath: '/', services }
      const permissions = new Set(['logins'] as const)
      const tools = { http, guard, signal, budget, permissions, isExhaustive, profile: 'deep' as const }
      for await (const item of runChecks(target, plan, tools)) observations.push(item)
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      await client.close()
    }
    const { user, system } = process.cpuUsage(startedCpu)
    return {
      observations,
      requests,
      seconds: (performance.now() - startedAt) / 1000,
      cpuSeconds: (user + system) / 1e6,
    }
  }
}
