/**
 * The system calls of a sweep, through `node:ffi`. Only a process that was started with `--experimental-ffi` may
 * import this file. Every buffer that is handed over lives as long as this module does, and no call keeps one.
 */
import { dlopen, toArrayBuffer } from 'node:ffi'
import { eventList, isSameAddress, linux, lingerNot, setPort } from '#net/libc-structs.ts'
import type { SocketAddress } from '#net/libc-structs.ts'

/** Non-blocking TCP sockets as file descriptors. */
export interface Libc {
  /** A new socket; or, below zero, the error's number negated. */
  open(address: SocketAddress): number
  /** From now on `wait` tells of the socket, until it is closed. Returns 0 or the error's number. */
  watch(fd: number): number
  /** Begins a connect, or tells how the one under way stands: 0 when connected, else the error's number. */
  connect(fd: number, address: SocketAddress, port: number): number
  /** Whether the socket is connected to itself. */
  isSelf(fd: number, address: SocketAddress): boolean
  close(fd: number): void
  /** Calls `tell` for each socket that something has happened to, some of them for nothing. Waits at most `waitMs`. */
  wait(waitMs: number, tell: (fd: number) => void): void
}

const eventsMax = 1024

/** @throws when the C library lacks a function, or has no more file descriptors to give */
export function openLibc(): Libc {
  // Null stands for what this very process is linked with: glibc or musl alike.
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
  // The place of errno is the thread's own and never moves.
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
      // Without it an open port costs a TIME_WAIT, and nothing else.
      call.setsockopt(fd, linux.SOL_SOCKET, linux.SO_LINGER, lingerNot, lingerNot.length)
      return fd
    },
    watch(fd) {
      // Of an edge nothing is told twice, so that a socket that waits for its next connect makes no noise.
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
    wait(waitMs, tell) {
      const count = Math.min(call.epoll_wait(poll, events.bytes, events.max, waitMs), events.max)
      for (let index = 0; index < count; index++) tell(events.fdAt(index))
    },
  }
}
