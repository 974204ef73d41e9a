/** Local errors that imply nothing about the host. */

/** Local resources are exhausted; fewer concurrent sockets help. */
const scarcity: ReadonlySet<string> = new Set('EADDRNOTAVAIL EMFILE ENFILE ENOBUFS ENOMEM EAGAIN EADDRINUSE'.split(' '))
/** No route to the host; retrying doesn't help. */
const noRoute: ReadonlySet<string> = new Set('ENETUNREACH ENETDOWN EACCES EPERM EINVAL EAFNOSUPPORT'.split(' '))

/** The kind of local error; null for a response from the network. */
export function localError(code: string): 'scarcity' | 'route' | null {
  if (scarcity.has(code)) return 'scarcity'
  return noRoute.has(code) ? 'route' : null
}
