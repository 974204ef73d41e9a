/** A request of a proof as a command that anybody can repeat. */

interface Told {
  readonly request?: string | undefined
  /** Where it was sent, as evidence names it: the port first. */
  readonly port?: number | undefined
  readonly address: string
}

const tlsPorts = new Set([443, 8443, 9443, 4443, 10443])
/** curl writes these by itself, and better. */
const own = new Set(['host', 'content-length', 'connection', 'accept-encoding'])

/**
 * `curl` for an HTTP request, quoted for a POSIX shell; undefined for what is no HTTP. It goes to the
 * address that was scanned under the name that was asked for, so that it meets the same server.
 */
export function curlOf({ request, port, address }: Told): string | undefined {
  const [head = '', ...rest] = (request ?? '').replaceAll('\r\n', '\n').split('\n\n')
  const [start = '', ...lines] = head.split('\n')
  const [, method, path] = /^([A-Z]{3,10}) (\S+) HTTP\/\d/.exec(start) ?? []
  if (!method || !path) return undefined
  const headers = lines.flatMap((line) => {
    const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? []
    return name && value !== undefined ? [{ name, value }] : []
  })
  const host = headers.find(({ name }) => name.toLowerCase() === 'host')?.value ?? address
  const body = rest.join('\n\n')
  const parts = ['curl', '-sik', '--path-as-is', ...(method === 'GET' ? [] : ['-X', method])]
  for (const { name, value } of headers) if (!own.has(name.toLowerCase())) parts.push('-H', quoted(`${name}: ${value}`))
  if (body) parts.push('--data-binary', quoted(body))
  return [...parts, ...places(host, port, address, path)].join(' ')
}

/** The address of the request, and where its name is to be looked for. */
function places(host: string, port: number | undefined, address: string, path: string): string[] {
  const [, name = host, named] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(host) ?? []
  const at = port ?? (named ? Number(named) : 80)
  const scheme = tlsPorts.has(at) ? 'https' : 'http'
  const isUsual = at === (scheme === 'https' ? 443 : 80)
  const url = quoted(`${scheme}://${name}${isUsual ? '' : `:${at}`}${path}`)
  const plain = address.includes(':') ? `[${address}]` : address
  return name === plain ? [url] : ['--resolve', quoted(`${name}:${at}:${plain}`), url]
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
