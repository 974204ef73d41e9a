/** Scans a batch in child processes, and continues without the checks that make them fail. */
import type { Observation, ScanJob } from '@glacis/contract/runner'
import type { CallbackServer } from '#callback/index.ts'
import { lendCallbacks, type InteractionMessage, type Lending, type RelayRequest } from '#callback/relay.ts'
import { limitsByProfile } from '#budget.ts'
import { createLedger, type Ledger } from '#process/ledger.ts'
import { runTask, TaskFailure } from '#process/pool.ts'
import type { Program } from '#process/program.ts'
import type { ClosedCandidates } from '#scan-host.ts'
import { isWorthAccelerating } from '#sweep-engine.ts'
import type { StoppedPair } from '#unit.ts'

/** Paths of packs, as for `loadPacks`. */
export interface PackPaths {
  readonly checks: readonly string[]
  readonly fingerprints: readonly string[]
  readonly cache?: string
}

export interface ScanBatch {
  readonly job: ScanJob
  readonly knownOpen: Readonly<Record<string, readonly number[]>>
  readonly packs: PackPaths
}

/** The request to the process. */
export interface ScanRequest extends ScanBatch {
  readonly stopped: readonly StoppedPair[]
  /** Ports of hosts that an earlier process completed, to be tried again at the end. */
  readonly closedCandidates: readonly ClosedCandidates[]
  readonly callbacks: Lending['endpoint'] | undefined
}
export type ScanInput = { readonly callback: InteractionMessage }
export type ScanOutput =
  | { readonly observation: unknown }
  | { readonly withoutAccelerator: string }
  | { readonly callback: RelayRequest }

export interface ScanProcessOptions {
  readonly signal: AbortSignal
  readonly callbacks?: CallbackServer | null | undefined
  /** Receives observations in the order of `scan()`; those of a host once it is completed. */
  readonly observed: (observation: Observation) => void
  readonly withoutAccelerator: (reason: string) => void
  /** Receives what the watchdog did, for the log. */
  readonly restarted?: (reason: string) => void
  /** As in `Program`. */
  readonly isBackground?: boolean
}

/** Processes that may die without progress, for a reason other than a check, before the batch fails. */
const deathsMax = 3

/**
 * Returns once all hosts are scanned. A check that stalls or crashes the process on a host is
 * reported as stopped there, and after three of them the host is set aside.
 *
 * @throws the signal's reason if it aborts; an error if the processes keep failing
 */
export async function scanInProcess(batch: ScanBatch, options: ScanProcessOptions): Promise<void> {
  const ledger = createLedger(batch.job, options.observed)
  let deaths = 0
  while (ledger.hosts().length > 0 || ledger.hasClosedCandidates()) {
    const hosts = ledger.hosts()
    try {
      await runOnce(batch, ledger, options)
      return
    } catch (error) {
      options.signal.throwIfAborted()
      if (!(error instanceof TaskFailure) || error.kind === 'failed') throw error
      const isBlamed = ledger.blame(error)
      if (isBlamed || ledger.hosts().length < hosts.length) deaths = 0
      else if (++deaths >= deathsMax)
        throw new Error(`the scanner process failed repeatedly: ${error.message}`, { cause: error })
      options.restarted?.(error.unit ? `${error.unit.check} on ${error.unit.address}: ${error.message}` : error.message)
      ledger.discardUnfinished()
    }
  }
}

async function runOnce(batch: ScanBatch, ledger: Ledger, options: ScanProcessOptions): Promise<void> {
  const { signal, callbacks, isBackground = false } = options
  const job = { ...batch.job, hosts: ledger.hosts() }
  let send: (message: ScanInput) => void = () => undefined
  using lending = callbacks ? lendCallbacks(callbacks, (callback) => send({ callback })) : null
  const request: ScanRequest = {
    ...batch,
    job,
    stopped: ledger.stopped(),
    closedCandidates: ledger.closedCandidates(),
    callbacks: lending?.endpoint,
  }
  await runTask({ ...programFor(batch), isBackground }, request, {
    signal,
    connect(sendToTask) {
      send = sendToTask
      return (message) => {
        const output = message as ScanOutput // sent by scan-child.ts
        if ('observation' in output) ledger.add(output.observation)
        else if ('callback' in output) lending?.receive(output.callback)
        else options.withoutAccelerator(output.withoutAccelerator)
      }
    },
  })
  ledger.complete()
}

function programFor({ job, packs }: ScanBatch): Program {
  const limits = limitsByProfile[job.profile ?? 'gentle']
  return {
    module: new URL('scan-child.ts', import.meta.url),
    heapMb: 512,
    readable: [...packs.checks, ...packs.fingerprints],
    writable: packs.cache === undefined ? [] : [packs.cache],
    usesNetwork: true,
    // The accelerated port sweep is a process of its own.
    startsProcesses: isWorthAccelerating(job.hosts.length, limits),
  }
}
