/** Side panel of a scan: details and progress by phase. */
import type { Scan, ScanPhase } from '@glacis/contract/scan'
import { Link } from '@tanstack/react-router'
import { isActive } from '#scans/queries.ts'
import { typeLabels } from '#scans/search.ts'
import { Fact, Facts } from '#ui/card.tsx'
import { phaseLabels } from '#ui/charts/scan-progress.tsx'
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
          <Fact name="Type">{typeLabels[scan.type]}</Fact>
          {scan.startedBy && <Fact name="Started by">{scan.startedBy}</Fact>}
          <TimeFact name="Created" time={scan.createTime} />
          {scan.startTime && <TimeFact name="Started" time={scan.startTime} />}
          {scan.completeTime && <TimeFact name="Finished" time={scan.completeTime} />}
        </Facts>
      </section>
      {scan.progress && <Progress scan={scan} progress={scan.progress} />}
    </>
  )
}

function TimeFact({ name, time }: { readonly name: string; readonly time: string }) {
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
const stateLabels: Readonly<Record<PhaseState, string>> = {
  done: 'done',
  current: 'in progress',
  cancelled: 'canceled',
  failed: 'failed',
  open: 'pending',
}
/** The scan status whose icon represents a phase's state. */
const iconStatuses: Readonly<Record<PhaseState, Scan['status']>> = {
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
              <ScanStatusIcon status={iconStatuses[state]} />
              <span className={state === 'open' ? 'text-ink-3' : undefined}>{phaseLabels[phase]}</span>
              <span className="ml-auto text-12 text-ink-3">
                {state === 'open' && !isRunning ? 'not reached' : stateLabels[state]}
              </span>
            </li>
          )
        })}
      </ol>
      {isRunning && progress.lastActivityTime && (
        <p className="mt-3 text-12 text-ink-3">
          Last activity <RelativeTime value={progress.lastActivityTime} />
        </p>
      )}
    </section>
  )
}

const endStates: Readonly<Partial<Record<Scan['status'], PhaseState>>> = {
  STATUS_RUNNING: 'current',
  STATUS_CANCELLED: 'cancelled',
  STATUS_FAILED: 'failed',
}

/** State of a phase. A scan that ended early marks the phase in which it stopped. */
export function stateOf(phase: (typeof order)[number], scan: Pick<Scan, 'status'>, now: ScanPhase): PhaseState {
  if (scan.status === 'STATUS_COMPLETED' || now === 'PHASE_DONE') return 'done'
  const [here, there] = [order.indexOf(phase), (order as readonly ScanPhase[]).indexOf(now)]
  if (here < there) return 'done'
  if (here > there) return 'open'
  return endStates[scan.status] ?? 'open'
}
