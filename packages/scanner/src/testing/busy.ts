/**
 * A listener with a full backlog: the kernel drops further SYNs, so that a connect stays pending
 * forever.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Busy extends AsyncDisposable {
  readonly port: number
}

/** Starts a process that listens but never accepts, and fills its backlog. */
export async function listenBusy(address: string): Promise<Busy> {
  const child = fork(new URL('./busy-process.ts', import.meta.url), [address], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [port]: number[] = await once(child, 'message')
  const waiting: Socket[] = []
  try {
    while (waiting.length < queueMax) {
      const socket = connect({ host: address, port: port ?? 0 }).on('error', () => undefined)
      waiting.push(socket)
      if (!(await connects(socket))) break
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return {
    port: port ?? 0,
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy()
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    },
  }
}

/** A loopback connect still pending after this time stays pending. */
const fullMs = 300
/** Larger than any kernel's minimum backlog. */
const queueMax = 64

async function connects(socket: Socket): Promise<boolean> {
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(fullMs) })
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return false
    throw error
  }
}
