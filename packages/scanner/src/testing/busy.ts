/** A listener whose queue is full: the kernel drops whoever comes next, so that a connect stays under way for ever. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export interface Busy extends AsyncDisposable {
  readonly port: number
}

/** Listens in a process that never takes a connection, and fills the queue. */
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

/** A connect on loopback that has not come about after so long does not come about. */
const fullMs = 300
/** More than any kernel makes of a queue of one. */
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
