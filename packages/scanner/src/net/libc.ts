/**
 * System calls for the sweep, through `node:ffi`. Only processes started with `--experimental-ffi`
 * may import this file. All buffers passed to C live as long as the module, and no call retains
 * them.
 */
import { dlopen, toArrayBuffer } from 'node:ffi'
import { eventList, isSameAddress, linux, lingerZero, setPort, type SocketAddress } from '#net/libc-structs.ts'

/** Non-blocking TCP sockets as file descriptors. */
export interface Libc {
  /** A new socket, or a negated errno. */
  open(address: SocketAddress): number
  /** Adds the socket to epoll until it is closed. Returns 0 or an errno. */
  watch(fd: number): number
  /** Starts a connect, or reports a pending one: 0 when connected, otherwise an errno. */
  connect(fd: number, address: SocketAddress, port: number): number
  /** Whether the socket is connected to itself. */
  isSelf(fd: number, address: SocketAddress): boolean
  close(fd: number): void
  /** Calls `onReady` for each socket with an event, possibly spurious. Waits at most `waitMs`. */
  onReady(waitMs: number, onReady: (fd: number) => void): void
}

const eventsMax = 1024

/** @throws when a libc function is missing or no file descriptors are available */
export function openLibc(): Libc {
  // Null is the process's own libc: glibc or musl.
  const { functions: call } = dlopen(null, {
    socket: { arguments: ['int32', 'int32', 'int32'], return: 'int32' },
    setsockopt: { arguments: ['int32', 'int32', 'int32', 'buffer', 'uint32'], return: 'int32' },
    connect: { arguments: ['int32', 'buffer', 'uint32'], return: 'int32' },
    getsockname: { arguments: ['int32', 'buffer', 'buffer'], return: 'int32' },
    close: { arguments: ['int32'], return: 'int32' },
    epoll_create1: { arguments: ['int32'], return: 'int32' },
    epoll_ctl: { arguments: ['int32', 'int32', 'int32', 'buffer'], return: 'int32' },
    epoll_wait: { arguments: ['int32', 'buffer', 'int32', 'int32'], return: 'int32' },
    __errno_location: { arguments: [], return: 'pointer' },
  })
  // errno is per thread, and its address never changes.
  const errno = new Int32Array(toArrayBuffer(call.__errno_location(), 4, false))
  const lastError = () => errno[0] ?? 0
  const interest = eventList(1, process.arch)
  const events = eventList(eventsMax, process.arch)
  const own = new Uint8Array(28)
  const ownLength = new Uint32Array(1)
  const ownLengthBytes = new Uint8Array(ownLength.buffer)
  const poll = call.epoll_create1(linux.EPOLL_CLOEXEC)
  if (poll < 0) throw new Error(`epoll_create1 failed with ${lastError()}`)

  return {
    open({ family }) {
      const fd = call.socket(family, linux.SOCK_STREAM | linux.SOCK_NONBLOCK | linux.SOCK_CLOEXEC, 0)
      if (fd < 0) return -lastError()
      // Without it, an open port only costs a TIME_WAIT.
      call.setsockopt(fd, linux.SOL_SOCKET, linux.SO_LINGER, lingerZero, lingerZero.length)
      return fd
    },
    watch(fd) {
      // Edge-triggered, so that an idle socket awaiting its next connect causes no events.
      interest.set(0, linux.EPOLLOUT | linux.EPOLLET, fd)
      return call.epoll_ctl(poll, linux.EPOLL_CTL_ADD, fd, interest.bytes) < 0 ? lastError() : 0
    },
    connect(fd, address, port) {
      setPort(address, port)
      return call.connect(fd, address.bytes, address.bytes.length) === 0 ? 0 : lastError()
    },
    isSelf(fd, address) {
      ownLength[0] = own.length
      return call.getsockname(fd, own, ownLengthBytes) === 0 && isSameAddress(address, own)
    },
    close: (fd) => void call.close(fd),
    onReady(waitMs, onReady) {
      const count = Math.min(call.epoll_wait(poll, events.bytes, events.max, waitMs), events.max)
      for (let index = 0; index < count; index++) onReady(events.fdAt(index))
    },
  }
}
