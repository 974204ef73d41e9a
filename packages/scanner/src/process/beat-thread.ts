/** The thread that reports heartbeats of its process to the parent, through a pipe. */
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { layout } from '#process/beats.ts'
import { beatFd } from '#process/program.ts'

const intervalMs = 250
const shared = workerData as SharedArrayBuffer // passed by beats.ts
const header = new Int32Array(shared, 0, 4)
const text = Buffer.from(shared, layout.headerBytes, layout.textBytes)
/** Never changes; waiting for it is a sleep. */
const never = new Int32Array(new SharedArrayBuffer(4))

for (;;) {
  Atomics.wait(header, layout.isBusy, 0)
  Atomics.wait(never, 0, 0, intervalMs)
  const { user, system } = process.cpuUsage()
  const unit = text.toString('utf8', 0, header[layout.length]).replaceAll(/[\t\n]/g, ' ')
  report([Atomics.load(header, layout.count), Math.round((user + system) / 1000), unit].join('\t'))
}

/** A pipe without a reader means that the parent has exited; nothing may outlive it. */
function report(beat: string): void {
  try {
    writeSync(beatFd, `${beat}\n`)
  } catch (error) {
    const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN'
    if (!isFull) process.kill(process.pid, 'SIGKILL')
  }
}
