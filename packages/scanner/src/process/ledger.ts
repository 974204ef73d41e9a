/** What a batch has completed so far, across the processes that scan it. */
import { Observation, type ScanHost, type ScanJob } from '@glacis/contract/runner'
import type { TaskFailure } from '#process/pool.ts'
import type { ClosedCandidates } from '#scan-host.ts'
import type { StoppedPair } from '#unit.ts'

export interface Ledger {
  /** The hosts that are left. */
  hosts(): ScanHost[]
  stopped(): readonly StoppedPair[]
  closedCandidates(): readonly ClosedCandidates[]
  hasClosedCandidates(): boolean
  add(observation: unknown): void
  /** Attributes a process's end to its last unit. Returns false if the unit isn't to blame, or not yet. */
  blame(failure: TaskFailure): boolean
  discardUnfinished(): void
  complete(): void
}

type Finished = NonNullable<Extract<Observation, { kind: 'progress' }>['finished']>

/** Number of stopped checks at which a host is set aside for the rest of the scan. */
const stopsMax = 3

export function createLedger(job: ScanJob, observed: (observation: Observation) => void): Ledger {
  let hosts = job.hosts.map(({ address, names = [] }): ScanHost => ({ address, names }))
  const total = hosts.length
  const pending = new Map<string, Observation[]>()
  const stopped: StoppedPair[] = []
  let candidates: ClosedCandidates[] = []
  let lastDeath = ''
  const flush = (address: string) => {
    for (const observation of pending.get(address) ?? []) observed(observation)
    pending.delete(address)
  }
  const hostOf = (address: string) =>
    hosts.find((one) => one.address === address) ?? hosts.find(({ names }) => names.includes(address))

  return {
    hosts: () => hosts,
    stopped: () => stopped,
    closedCandidates: () => candidates,
    hasClosedCandidates: () => candidates.length > 0,
    add(message) {
      const observation = Observation.parse(message)
      if (observation.kind === 'progress') {
        const { finished, ...progress } = observation
        if (finished) finish(finished)
        return observed({ ...progress, hostsDone: total - hosts.length })
      }
      const address = observation.address
      // Closed ports are reported after their hosts are completed.
      if (address === undefined || observation.kind === 'closed') return observed(observation)
      const list = pending.get(address) ?? []
      pending.set(address, list)
      list.push(observation)
    },
    blame({ kind, unit, message }) {
      if (!unit) return false
      const death = `${unit.address} ${unit.check}`
      // The system may also kill a process, for example when memory runs out. Dying in the same unit twice is no coincidence.
      const isCertain = kind === 'stuck' || death === lastDeath
      lastDeath = death
      if (!isCertain) return false
      const reason = kind === 'stuck' ? 'took too long' : `crashed the scanner: ${message}`
      stopped.push({ ...unit, reason })
      const ofHost = stopped.filter(({ address }) => address === unit.address)
      if (ofHost.length >= stopsMax) setAside(unit.address, ofHost)
      return true
    },
    discardUnfinished: () => pending.clear(),
    complete() {
      for (const address of pending.keys()) flush(address)
    },
  }

  function finish({ host, addresses, closedCandidates }: Finished): void {
    const index = hosts.findIndex(({ address }) => address === host)
    if (index >= 0) hosts = hosts.toSpliced(index, 1)
    candidates = [...candidates, ...closedCandidates]
    for (const address of addresses) flush(address)
  }

  /** Reports that the host responded, and nothing about its software and issues. */
  function setAside(address: string, stops: readonly StoppedPair[]): void {
    const reason = `set aside after ${stops.length} checks took too long or crashed the scanner`
    const seen = pending.get(address)?.find((one) => one.kind === 'host')
    const names = hostOf(address)?.names ?? []
    hosts = hosts.filter((one) => one !== hostOf(address))
    const host = seen ?? { kind: 'host' as const, address, names, reached: false, answersEverything: false }
    observed({ ...host, reason })
    observed({
      kind: 'coverage',
      address,
      checks: [],
      stopped: stops.map(({ check, reason: why }) => ({ check, reason: why })),
    })
    observed({ kind: 'problem', address, level: 'warn', message: `${address} was ${reason}` })
  }
}
