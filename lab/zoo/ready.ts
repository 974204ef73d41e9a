/** Waits until a program is ready. */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const readyMs = 120_000
const betweenMs = 200

/** @throws the last error, if the work doesn't succeed in time */
export async function retry(work: () => Promise<void>, isWorthwhile: () => boolean = () => true): Promise<void> {
  const deadline = performance.now() + readyMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > deadline || !isWorthwhile()) throw error
      await delay(betweenMs)
    }
  }
}

/** Waits until the port accepts connections. */
export async function untilTcp(host: string, port: number, isAlive: () => boolean): Promise<void> {
  await retry(async () => {
    const socket = connect({ host, port })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    socket.once('connect', () => resolve())
    socket.once('error', () => reject(new Error(`Nothing is listening on ${host}:${port}`)))
    await promise.finally(() => socket.destroy())
  }, isAlive)
}

/** Waits until a socket is bound to the port. */
export async function untilUdp(host: string, port: number): Promise<void> {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  const hexAddress = host
    .split('.')
    .toReversed()
    .map((part) => Number(part).toString(16).toUpperCase().padStart(2, '0'))
    .join('')
  const bound = [`${hexAddress}:${hexPort}`, `00000000:${hexPort}`, `${'0'.repeat(32)}:${hexPort}`]
  await retry(async () => {
    const sockets = ['/proc/net/udp', '/proc/net/udp6'].map((file) => readFileSync(file, 'utf8')).join('')
    if (!bound.some((text) => sockets.includes(` ${text} `))) throw new Error(`Nothing is bound to ${host}:${port}/udp`)
  })
}
