import { constants } from 'node:os'
import type { Libc } from '#net/libc.ts'
import { errorName, socketAddress, type SocketAddress } from '#net/libc-structs.ts'
import type { Attempt, Connector, Settled } from '#sweep-loop.ts'

interface PendingConnect {
  readonly fd: number
  readonly address: SocketAddress
  readonly attempt: Attempt
}

const { EINPROGRESS, EALREADY, EINTR, ECONNREFUSED } = constants.errno
/** Poll interval while no sockets are ready, in milliseconds; new attempts wait at most this long. */
const sleepMs = 10

/**
 * Connects through libc, at a tenth of the cost of a `node:net` socket. Sockets are reused after a
 * refusal, and a second `connect` on a pending socket returns its error. Only Linux guarantees both
 * (`inet_stream_connect`).
 */
export function connectWithLibc(libc: Libc, settled: Settled): Connector {
  const pending = new Map<number, PendingConnect>()
  const pendingByAttempt = new Map<Attempt, PendingConnect>()
  const watched = new Set<number>()
  const unused = new Map<number, number[]>()
  const addresses = new Map<string, SocketAddress>()
  let isPollDue = false

  function begin(attempt: Attempt): void {
    const address = addressOf(attempt.host.order.address)
    const fd = unused.get(address.family)?.pop() ?? libc.open(address)
    if (fd < 0) return settled(attempt, errorName(-fd))
    const line = { fd, address, attempt }
    pending.set(fd, line)
    pendingByAttempt.set(attempt, line)
    // Local hosts and virtual machines have already answered by now, so polling isn't needed.
    if (!checkConnect(line) || !checkConnect(line)) return
    const error = watched.has(fd) ? 0 : libc.watch(fd)
    if (error === 0) {
      watched.add(fd)
      return pollSoon()
    }
    end(line, false)
    settled(attempt, errorName(error))
  }

  /**
   * Checks the connect by calling `connect` again, which also starts it. Returns false when it has
   * finished and was reported.
   */
  function checkConnect(line: PendingConnect): boolean {
    const { fd, address, attempt } = line
    const error = libc.connect(fd, address, attempt.port)
    if (error === EINPROGRESS || error === EALREADY || error === EINTR) return true
    const isRefused = error === ECONNREFUSED
    const isSelf = error === 0 && libc.isSelf(fd, address)
    end(line, isRefused)
    settled(attempt, isRefused || isSelf ? 'ECONNREFUSED' : error === 0 ? '' : errorName(error))
    return false
  }

  function end({ fd, address, attempt }: PendingConnect, isUsable: boolean): void {
    pending.delete(fd)
    pendingByAttempt.delete(attempt)
    if (!isUsable) return closeSocket(fd)
    const kept = unused.get(address.family) ?? []
    unused.set(address.family, kept)
    kept.push(fd)
  }

  function closeSocket(fd: number): void {
    watched.delete(fd)
    libc.close(fd)
  }

  function pollSoon(): void {
    if (isPollDue) return
    isPollDue = true
    setImmediate(poll)
  }

  function poll(): void {
    isPollDue = false
    libc.onReady(sleepMs, (fd) => {
      const line = pending.get(fd)
      if (line) checkConnect(line)
    })
    if (pending.size > 0) pollSoon()
  }

  function addressOf(text: string): SocketAddress {
    const cached = addresses.get(text) ?? socketAddress(text)
    addresses.set(text, cached)
    return cached
  }

  return {
    begin,
    cancel(attempt) {
      const line = pendingByAttempt.get(attempt)
      if (!line) return
      if (!checkConnect(line)) return
      end(line, false)
      settled(attempt, 'ETIMEDOUT')
    },
    releaseSockets() {
      for (const fd of [...unused.values()].flat()) closeSocket(fd)
      unused.clear()
      addresses.clear()
    },
  }
}
