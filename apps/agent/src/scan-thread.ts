/**
 * Worker thread that scans one job. Reads its orders from `workerData`, posts observations, and
 * stops on request.
 */
import { isIP } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import type { Observation, RunnerJob, ScanHost } from '@glacis/contract/runner'
import { createGuard, loadPacks, resolveName, scan } from '@glacis/scanner'
import type { PackFolders } from './packs.ts'

interface JobInput {
  readonly job: RunnerJob
  readonly folders: PackFolders
  readonly networks: readonly string[] | undefined
}

const { job, folders, networks } = workerData as JobInput // posted by job.ts with this type
const resolveMs = 10_000
const stopping = new AbortController()
parentPort?.once('message', () => stopping.abort(new Error('stopped')))

try {
  const packs = await loadPacks(folders)
  const hosts = (await Promise.all(job.hosts.map(resolveHost))).flat()
  const { signal } = stopping
  const allow = hosts.map((host) => host.address).filter(isAllowed)
  const withoutAccelerator = (reason: string) => parentPort?.postMessage({ withoutAccelerator: reason })
  const options = { signal, packs, knownOpen: job.knownOpen, withoutAccelerator }
  for await (const observation of scan({ ...job.settings, hosts, allow }, options)) post(observation)
} catch (error) {
  if (!stopping.signal.aborted) throw error
} finally {
  parentPort?.close()
}

/** Resolves host names on this network. Names that can't be resolved are reported. */
async function resolveHost(host: ScanHost): Promise<ScanHost[]> {
  if (isIP(host.address)) return [host]
  const outcome = await resolveName(host.address, { signal: AbortSignal.timeout(resolveMs) })
  if (outcome.kind !== 'failure') {
    return outcome.addresses.slice(0, 8).map((address) => ({ address, names: [host.address] }))
  }
  const { address, names } = host
  post({ kind: 'host', address, names, reached: false, reason: outcome.reason, answersEverything: false })
  return []
}

/**
 * The server operator limits what is scanned at all; the owner of this machine limits what is
 * scanned from it.
 */
function isAllowed(address: string): boolean {
  return [job.networks, networks].every(
    (allow) => allow === undefined || createGuard({ allow: [...allow], deny: [] }).refusal(address, 443) === null,
  )
}

function post(observation: Observation): void {
  parentPort?.postMessage(observation)
}
