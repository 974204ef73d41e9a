/** Errors of this machine that say nothing of the host that was dialled. */

/** This machine has run out of something: fewer sockets at once will help every host. */
const scarcity: ReadonlySet<string> = new Set('EADDRNOTAVAIL EMFILE ENFILE ENOBUFS ENOMEM EAGAIN EADDRINUSE'.split(' '))
/** This machine has no way to that host: asking again will not help. */
const noRoute: ReadonlySet<string> = new Set('ENETUNREACH ENETDOWN EACCES EPERM EINVAL EAFNOSUPPORT'.split(' '))

/** Which kind of local error a code is; null when the code is an answer of the network. */
export function localError(code: string): 'scarcity' | 'route' | null {
  if (scarcity.has(code)) return 'scarcity'
  return noRoute.has(code) ? 'route' : null
}
