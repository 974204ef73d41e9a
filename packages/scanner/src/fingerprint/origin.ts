import type { Origin } from '#net/http-message.ts'

/**
 * Resolves a redirect location to a path if it stays on this origin. Relative paths without a
 * leading slash are ignored.
 */
export function pathOnOrigin(location: string, origin: Origin): string | undefined {
  if (/^\/(?!\/)/.test(location)) return location.split('#')[0]
  const [, scheme = '', host = '', port, path = ''] =
    /^(https?):\/\/(\[[^\]]*\]|[^:/?#]+)(?::(\d+))?([^#]*)/i.exec(location) ?? []
  const tls = scheme.toLowerCase() === 'https'
  const isHere = [origin.hostname, origin.address, `[${origin.address}]`].includes(host.toLowerCase())
  if (!isHere || tls !== origin.tls || Number(port ?? (tls ? 443 : 80)) !== origin.port) return undefined
  return path.startsWith('/') ? path : `/${path}`
}
