import type { Origin } from '#net/http-message.ts'

/**
 * Resolves a redirect location to a path if it stays on this origin. Relative paths are resolved
 * against `base`, and ignored without it.
 */
export function pathOnOrigin(location: string, origin: Origin, base?: string): string | undefined {
  if (base !== undefined && /^[\w.?-][^:]*$/.test(location)) return relativePath(location, base)
  if (/^\/(?!\/)/.test(location)) return location.split('#')[0]
  const [, scheme = '', host = '', port, path = ''] =
    /^(https?):\/\/(\[[^\]]*\]|[^:/?#]+)(?::(\d+))?([^#]*)/i.exec(location) ?? []
  const tls = scheme.toLowerCase() === 'https'
  const isHere = [origin.hostname, origin.address, `[${origin.address}]`].includes(host.toLowerCase())
  if (!isHere || tls !== origin.tls || Number(port ?? (tls ? 443 : 80)) !== origin.port) return undefined
  return path.startsWith('/') ? path : `/${path}`
}

function relativePath(location: string, base: string): string {
  const { pathname, search } = new URL(location, new URL(base, 'http://invalid'))
  return pathname + search
}
