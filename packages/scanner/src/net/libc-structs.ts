/** C structures for the libc calls, with Linux's layout on x64 and arm64. */
import { constants, endianness } from 'node:os'
import { parseIp } from '#ip.ts'

/**
 * From `sys/socket.h`, `fcntl.h`, and `sys/epoll.h` on Linux: identical on x64 and arm64, glibc and
 * musl.
 */
export const linux = {
  AF_INET: 2,
  AF_INET6: 10,
  SOCK_STREAM: 1,
  SOCK_NONBLOCK: 0o4000,
  SOCK_CLOEXEC: 0o2000000,
  SOL_SOCKET: 1,
  SO_LINGER: 13,
  EPOLL_CLOEXEC: 0o2000000,
  EPOLL_CTL_ADD: 1,
  EPOLLOUT: 4,
  EPOLLET: 2 ** 31,
} as const

/** `struct sockaddr_in` (16 bytes) or `struct sockaddr_in6` (28 bytes). */
export interface SocketAddress {
  readonly family: number
  readonly bytes: Uint8Array<ArrayBuffer>
}

const isLittle = endianness() === 'LE'

/**
 * Encodes an address without its port; see `setPort`.
 *
 * @throws when the text is not an address
 */
export function socketAddress(text: string): SocketAddress {
  const ip = parseIp(text)
  if (!ip) throw new Error(`${text} is not an IP address`)
  const family = ip.family === 4 ? linux.AF_INET : linux.AF_INET6
  const bytes = new Uint8Array(ip.family === 4 ? 16 : 28)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, family, isLittle)
  if (ip.family === 4) view.setUint32(4, Number(ip.value))
  else {
    view.setBigUint64(8, ip.value >> 64n)
    view.setBigUint64(16, ip.value & 0xffff_ffff_ffff_ffffn)
  }
  return { family, bytes }
}

/** Writes the port in network byte order; `sin_port` and `sin6_port` have the same offset. */
export function setPort({ bytes }: SocketAddress, port: number): void {
  bytes[2] = port >>> 8
  bytes[3] = port & 255
}

/**
 * Whether two socket addresses are equal, including the port; flow labels and scopes are ignored.
 */
export function isSameAddress(one: SocketAddress, other: Uint8Array): boolean {
  const end = one.family === linux.AF_INET ? 8 : 24
  const isEqual = (from: number, to: number) =>
    Buffer.compare(one.bytes.subarray(from, to), other.subarray(from, to)) === 0
  return isEqual(0, 4) && isEqual(one.family === linux.AF_INET ? 4 : 8, end)
}

/**
 * An array of `struct epoll_event`, which is packed on x64 (12 bytes) and aligned elsewhere (16
 * bytes).
 */
export interface EventList {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly max: number
  fdAt(index: number): number
  set(index: number, events: number, fd: number): void
}

/** @param arch value of `process.arch`: x64 or arm64 */
export function eventList(max: number, arch: string): EventList {
  const [size, dataAt] = arch === 'x64' ? [12, 4] : [16, 8]
  const bytes = new Uint8Array(size * max)
  const view = new DataView(bytes.buffer)
  return {
    bytes,
    max,
    fdAt: (index) => view.getInt32(index * size + dataAt, isLittle),
    set(index, events, fd) {
      view.setUint32(index * size, events >>> 0, isLittle)
      view.setInt32(index * size + dataAt, fd, isLittle)
    },
  }
}

/** `struct linger { on, 0 }`: closing resets the connection, which avoids TIME_WAIT. */
export const lingerZero: Uint8Array = new Uint8Array(new Int32Array([1, 0]).buffer)

const names = new Map(Object.entries(constants.errno).map(([name, value]) => [value, name]))

/** Name of an errno on this machine, such as ECONNREFUSED. */
export function errorName(number: number): string {
  return names.get(number) ?? `E${number}`
}
