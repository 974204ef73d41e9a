/** Starts a task that loops, prints the process ID of the task, and waits to be killed. */
import { runTask } from '#process/pool.ts'

const module = new URL('misbehaving-child.ts', import.meta.url)
await runTask({ module, heapMb: 64 }, process.argv[2], {
  signal: new AbortController().signal,
  connect: () => (pid) => process.stdout.write(`${String(pid)}\n`),
})
