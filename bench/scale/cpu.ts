/** CPU time of processes and everything they started, from /proc. */
import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100

interface Usage {
  readonly parent: number
  readonly seconds: number
}

/** CPU seconds of these processes and their descendants, including those that have ended. */
export function cpuSeconds(pids: readonly number[]): number {
  const all = new Map<number, Usage>()
  for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) readUsage(Number(name), all)
  const isOurs = (pid: number): boolean => pids.includes(pid) || (all.has(pid) && isOurs(all.get(pid)?.parent ?? 0))
  return [...all].reduce((sum, [pid, { seconds }]) => sum + (isOurs(pid) ? seconds : 0), 0)
}

/** Fields of proc_pid_stat(5), counted after the name, which may contain spaces. */
function readUsage(pid: number, all: Map<number, Usage>): void {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0)
    all.set(pid, { parent: fields[1] ?? 0, seconds: ticks / ticksPerSecond })
  } catch {
    // It has ended in the meantime.
  }
}
