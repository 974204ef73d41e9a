import type { Origin } from '#net/http.ts'

/** Where an address leads, when it stays on this origin; a path without a slash at its front does not count. */
export function pathOnOrigin(location: string, origin: Origin): string | undefined {
  if (/^\/(?!\/)/.test(location)) return location.split('#')[0]
  const [, scheme = '', host = '', port, path = ''] =
    /^(https?):\/\/(\[[^\]]*\]|[^:/?#]+)(?::(\d+))?([^#]*)/i.exec(location) ?? []
  const tls = scheme.toLowerCase() === 'https'
  const isHere = [origin.hostname, origin.address, `[${origin.address}]`].includes(host.toLowerCase())
  if (!isHere || tls !== origin.tls || Number(port ?? (tls ? 443 : 80)) !== origin.port) return undefined
  return path.startsWith('/') ? path : `/${path}`
}
