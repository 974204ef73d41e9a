/** A program whose tasks misbehave in the way that the request specifies. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { serveTasks } from '#process/serve-tasks.ts'
import { createUnits, runUnit } from '#unit.ts'

const actions: Readonly<Record<string, () => unknown>> = {
  async describe() {
    return { pid: process.pid, env: Object.keys(process.env) }
  },
  fail() {
    throw new Error('no such host')
  },
  loop: () => runUnit(createUnits('127.0.0.1', 1).of('slow check'), loopForever),
  exhaustHeap() {
    const all = []
    for (;;) all.push(Array.from({ length: 1e5 }, () => all.length))
  },
  exhaustBuffers() {
    const all = []
    for (;;) all.push(Buffer.alloc(64 * 1024 * 1024, 1))
  },
  wait: () => new Promise(() => undefined),
  readPasswords: () => readFileSync('/etc/passwd', 'utf8'),
  writeFile: () => writeFileSync('/tmp/glacis-must-not-exist', ''),
  startProgram: () => spawnSync('true').status,
}

serveTasks(async (request, task) => {
  await task.send(process.pid)
  return actions[String(request)]?.()
})

function loopForever(): never {
  for (;;);
}
