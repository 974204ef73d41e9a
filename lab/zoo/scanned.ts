/** Scans addresses with the product's command line and measures it. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Observation } from '@glacis/contract/runner'

export interface ScanResult {
  readonly observations: readonly Observation[]
  readonly seconds: number
  /** Peak resident memory of the scanning process, in MiB. */
  readonly memoryMiB: number
}

const program = join(import.meta.dirname, '../../apps/server/src/main.ts')

/**
 * @param options further options of `glacis scan`
 * @throws if the command fails
 */
export async function scanned(addresses: readonly string[], options: readonly string[]): Promise<ScanResult> {
  const args = ['scan', ...addresses, '--json', ...options]
  const startedAt = performance.now()
  const env = { ...process.env, GLACIS_SCAN_NETWORKS: '127.0.0.0/8' }
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env })
  let memoryMiB = 0
  const watch = setInterval(() => (memoryMiB = Math.max(memoryMiB, peakMemoryOf(child.pid))), 250)
  const ending = Promise.withResolvers<number>()
  child.once('error', ending.reject)
  child.once('exit', (code) => ending.resolve(code ?? 2))
  const observations: Observation[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const { host, ...rest }: Record<string, unknown> = JSON.parse(line)
    const observation = Observation.safeParse(host === undefined ? rest : { ...rest, address: host })
    // Skip lines that aren't observations, such as rejected matches.
    if (observation.success) observations.push(observation.data)
  }
  const code = await ending.promise
  clearInterval(watch)
  if (code > 1) throw new Error(`The scan exited with ${code}`)
  return { observations, seconds: (performance.now() - startedAt) / 1000, memoryMiB }
}

function peakMemoryOf(pid: number | undefined): number {
  try {
    const [, kib = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib) / 1024
  } catch {
    return 0
  }
}
