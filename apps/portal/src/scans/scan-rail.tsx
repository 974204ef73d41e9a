/** What stands beside a scan: what it was, and the phases it went through. */
import type { Scan, ScanPhase } from '@glacis/contract/scan'
import { Link } from '@tanstack/react-router'
import { isActive } from '#scans/queries.ts'
import { typeWords } from '#scans/search.ts'
import { Fact, Facts } from '#ui/card.tsx'
import { phaseWords } from '#ui/charts/scan-progress.tsx'
import { AbsoluteTime, RelativeTime } from '#ui/relative-time.tsx'
import { ScanStatusIcon } from '#ui/status.tsx'

export function ScanRail({ scan }: { readonly scan: Scan }) {
  return (
    <>
      <section>
        <h2>Details</h2>
        <Facts>
          {scan.target && (
            <Fact name="Target">
              <Link to="/scope/$id" params={{ id: scan.target.id }} className="inline-link">
                {scan.target.name}
              </Link>
            </Fact>
          )}
          {scan.agent && (
            <Fact name="Agent">
              <Link to="/agents/$id" params={{ id: scan.agent.id }} className="inline-link">
                {scan.agent.name}
              </Link>
            </Fact>
          )}
          <Fact name="Type">{typeWords[scan.type]}</Fact>
          {scan.startedBy && <Fact name="Started by">{scan.startedBy}</Fact>}
          <When name="Created" time={scan.createTime} />
          {scan.startTime && <When name="Started" time={scan.startTime} />}
          {scan.completeTime && <When name="Finished" time={scan.completeTime} />}
        </Facts>
      </section>
      {scan.progress && <Progress scan={scan} progress={scan.progress} />}
    </>
  )
}

function When({ name, time }: { readonly name: string; readonly time: string }) {
  return (
    <Fact name={name}>
      <AbsoluteTime value={time} className="tabular-nums" />
    </Fact>
  )
}

const order = [
  'PHASE_DISCOVERY',
  'PHASE_PORTS',
  'PHASE_IDENTIFY',
  'PHASE_CHECKS',
  'PHASE_EVALUATE',
] as const satisfies readonly ScanPhase[]

type PhaseState = 'done' | 'current' | 'cancelled' | 'failed' | 'open'
const stateWords: Readonly<Record<PhaseState, string>> = {
  done: 'done',
  current: 'under way',
  cancelled: 'cancelled',
  failed: 'failed',
  open: 'not yet',
}
/** A phase looks as a scan does that stands so. */
const looks: Readonly<Record<PhaseState, Scan['status']>> = {
  done: 'STATUS_COMPLETED',
  current: 'STATUS_RUNNING',
  cancelled: 'STATUS_CANCELLED',
  failed: 'STATUS_FAILED',
  open: 'STATUS_CREATED',
}

function Progress({ scan, progress }: { readonly scan: Scan; readonly progress: NonNullable<Scan['progress']> }) {
  const isRunning = isActive(scan)
  return (
    <section>
      <h2>Progress</h2>
      <ol className="grid gap-2.5">
        {order.map((phase) => {
          const state = stateOf(phase, scan, progress.phase)
          return (
            <li key={phase} className="flex items-center gap-2.5">
              <ScanStatusIcon status={looks[state]} />
              <span className={state === 'open' ? 'text-ink-3' : undefined}>{phaseWords[phase]}</span>
              <span className="ml-auto text-12 text-ink-3">
                {state === 'open' && !isRunning ? 'not reached' : stateWords[state]}
              </span>
            </li>
          )
        })}
      </ol>
      {isRunning && progress.lastActivityTime && (
        <p className="mt-3 text-12 text-ink-3">
          Last sign of life <RelativeTime value={progress.lastActivityTime} />
        </p>
      )}
    </section>
  )
}

const stops: Readonly<Partial<Record<Scan['status'], PhaseState>>> = {
  STATUS_RUNNING: 'current',
  STATUS_CANCELLED: 'cancelled',
  STATUS_FAILED: 'failed',
}

/** A scan that ended before its last phase stays where it stopped. */
export function stateOf(phase: (typeof order)[number], scan: Pick<Scan, 'status'>, now: ScanPhase): PhaseState {
  if (scan.status === 'STATUS_COMPLETED' || now === 'PHASE_DONE') return 'done'
  const [here, there] = [order.indexOf(phase), (order as readonly ScanPhase[]).indexOf(now)]
  if (here < there) return 'done'
  if (here > there) return 'open'
  return stops[scan.status] ?? 'open'
}
