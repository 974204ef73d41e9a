import type { ProgressObservation } from '@glacis/contract/runner'
import type { z } from 'zod'

interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): boolean
}
/** Progress bar on the last line of a terminal; does nothing elsewhere. */
export interface Progress {
  show(state: z.infer<typeof ProgressObservation>): void
  /** Writes other output above the progress bar. */
  above(write: () => void): void
  end(): void
}

const phases: Readonly<Record<z.infer<typeof ProgressObservation>['phase'], string>> = {
  PHASE_DISCOVERY: 'discovering hosts',
  PHASE_PORTS: 'scanning ports',
  PHASE_IDENTIFY: 'identifying services',
  PHASE_CHECKS: 'running checks',
}
const barWidth = 24
const clearLine = '\r\u001b[2K'

/** @param hostsTotal number of addresses in the job */
export function createProgress(terminal: Terminal, hostsTotal: number): Progress {
  if (!terminal.isTTY) return { show: () => undefined, above: (write) => write(), end: () => undefined }
  let line = ''
  return {
    show({ phase, hostsDone }) {
      line = barOf(hostsDone, hostsTotal, phases[phase]).slice(0, (terminal.columns ?? 80) - 1)
      terminal.write(`${clearLine}${line}`)
    },
    above(write) {
      terminal.write(clearLine)
      write()
      terminal.write(line)
    },
    end: () => void terminal.write(clearLine),
  }
}

function barOf(done: number, total: number, label: string): string {
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(share * barWidth)
  const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)}%  ${done} of ${total} ${total === 1 ? 'host' : 'hosts'}  ${label}`
}
