import { fork } from 'node:child_process'
import { once } from 'node:events'
import { getPriority } from 'node:os'
import { describe, expect, it } from 'vitest'
import { runTask, TaskFailure } from '#process/pool.ts'

const program = { module: new URL('testing/misbehaving-child.ts', import.meta.url), heapMb: 64 }

async function run(
  action: string,
  { onPid = (_pid: number) => undefined as unknown, signal = new AbortController().signal, isBackground = false } = {},
) {
  let seen = 0
  const connect = () => (pid: unknown) => {
    seen = Number(pid)
    onPid(seen)
  }
  const outcome = await runTask({ ...program, isBackground }, action, { signal, connect }).catch(
    (error: unknown) => error,
  )
  return { outcome, pid: seen }
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('runTask', () => {
  it('runs with the requested priority and without environment variables, and reuses the process', async () => {
    const onPid = (pid: number) => expect(getPriority(pid)).toBeGreaterThan(getPriority())
    const first = await run('describe', { onPid, isBackground: true })
    expect(first.outcome).toEqual({ pid: first.pid, env: [] })
    expect((await run('describe', { isBackground: true })).pid).toBe(first.pid)
  })

  it('passes errors of the task', async () => {
    expect((await run('fail')).outcome).toMatchObject({ kind: 'failed', message: 'no such host' })
  })

  it.runIf(process.platform === 'linux').each(['readPasswords', 'writeFile', 'startProgram'])(
    'denies %s',
    async (action) => {
      expect((await run(action)).outcome).toMatchObject({
        kind: 'failed',
        message: expect.stringMatching(/restricted/),
      })
    },
  )

  it('survives a process that exceeds its heap', async () => {
    expect((await run('exhaustHeap')).outcome).toMatchObject({ kind: 'exited' })
  })

  it.runIf(process.platform === 'linux')('survives a task that fills memory with buffers', async () => {
    const { outcome } = await run('exhaustBuffers')
    expect(outcome).toBeInstanceOf(TaskFailure)
  })

  it('survives a process that is killed', async () => {
    const { outcome } = await run('wait', { onPid: (pid) => process.kill(pid, 'SIGKILL') })
    expect(outcome).toMatchObject({ kind: 'exited', message: expect.stringContaining('SIGKILL') })
  })

  it('SEC-D1 ends a process that makes no progress, and names the unit', async () => {
    const { outcome, pid } = await run('loop')
    expect(outcome).toMatchObject({ kind: 'stuck', unit: { address: '127.0.0.1', check: 'slow check' } })
    expect(isAlive(pid)).toBe(false)
  })

  it('SEC-C4 stops a task that loops forever within two seconds', async () => {
    const stop = new AbortController()
    let stoppedAt = 0
    const onPid = () => {
      stoppedAt = performance.now()
      stop.abort(new Error('canceled'))
    }
    const { outcome, pid } = await run('loop', { signal: stop.signal, onPid })
    expect(String(outcome)).toContain('canceled')
    expect(performance.now() - stoppedAt).toBeLessThan(2000)
    expect(isAlive(pid)).toBe(false)
  })

  it.each(['loop', 'wait'])('does not outlive its parent in %s', async (action) => {
    const parent = fork(new URL('testing/parent.ts', import.meta.url), [action], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    if (!parent.stdout) throw new Error('the parent has no output')
    const [line]: unknown[] = await once(parent.stdout, 'data')
    const pid = Number(String(line))
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})
