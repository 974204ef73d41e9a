/** Decides from heartbeats whether a process is stuck. */
import type { Readable } from 'node:stream'

/**
 * Without progress for this long, and after this processor time, a process is stuck. On a busy machine it waits most of
 * the time, so the clock alone proves nothing.
 */
const stuckMs = 2000
/** Without progress or heartbeats for this long, it is stuck even if it doesn't compute. A busy machine delays its start. */
const silentMs = 60_000
const checkMs = 1000
const lineMax = 4096

export interface Watchdog extends Disposable {
  /** Address and check of the last heartbeat; null between units. */
  unit(): RunningUnit | null
}
export interface RunningUnit {
  readonly address: string
  readonly check: string
}

/**
 * Watches one task.
 *
 * @param beats lines written by `beat-thread.ts`: a count that changes with progress, the processor time in
 * milliseconds, and the unit
 * @param onStuck called once or more when the task is stuck
 */
export function watch(beats: Readable, onStuck: () => void): Watchdog {
  let last = { count: '', cpuMs: 0, at: performance.now() }
  let unit = ''
  let buffered = ''
  let checks = 0
  const readBeat = (line: string) => {
    const [count = '', cpu, name = ''] = line.split('\t')
    const [cpuMs, now] = [Number(cpu), performance.now()]
    unit = name
    checks = 0
    if (count !== last.count) last = { count, cpuMs, at: now }
    const idleMs = now - last.at
    if (Math.min(idleMs, cpuMs - last.cpuMs) >= stuckMs || idleMs >= silentMs) onStuck()
  }
  const onData = (chunk: Buffer) => {
    const lines = `${buffered}${chunk.toString()}`.split('\n')
    buffered = (lines.pop() ?? '').slice(-lineMax)
    for (const line of lines) readBeat(line)
  }
  beats.on('data', onData)
  // Counts checks rather than time, so that a delay of this process doesn't count as one of the other.
  const timer = setInterval(() => ++checks * checkMs >= silentMs && onStuck(), checkMs)
  timer.unref()
  return {
    unit() {
      const end = unit.indexOf(' ')
      return end < 0 ? null : { address: unit.slice(0, end), check: unit.slice(end + 1) }
    },
    [Symbol.dispose]() {
      clearInterval(timer)
      beats.off('data', onData)
    },
  }
}
