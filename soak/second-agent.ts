/** A second process of an agent on another machine: with its token, or with a copy of its state. */
import { createInterface } from 'node:readline'
import type { Machine } from './machine.ts'

export interface Ended {
  /** Null if it was killed after it had written the expected line. */
  readonly code: number | null
  readonly output: string
}

/** Runs an agent until it exits, or has written a line that matches `enough`. */
export async function runSecondAgent(machine: Machine, args: readonly string[], enough: RegExp = /$^/): Promise<Ended> {
  const command = [process.execPath, 'apps/agent/src/main.ts', '--plain-http', ...args]
  const child = machine.start(command, { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.once('exit', resolve)
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      if (enough.test(line)) void machine.run('kill -9 $(pgrep -f [a]pps/agent/src/main.ts)')
    })
  }
  const code = await promise
  return { code, output: lines.join('\n') }
}
