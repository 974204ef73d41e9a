/** Recorded HTTP requests as `curl` commands. */

interface RecordedRequest {
  readonly request?: string | undefined
  readonly port?: number | undefined
  readonly address: string
}

const tlsPorts = new Set([443, 8443, 9443, 4443, 10443])
/** curl sets these headers itself. */
const automaticHeaders = new Set(['host', 'content-length', 'connection', 'accept-encoding'])

/**
 * A `curl` command that repeats an HTTP request, quoted for a POSIX shell. Undefined if the request isn't HTTP.
 * `--resolve` keeps the hostname while connecting to the scanned address, so the same virtual host responds.
 */
export function curlCommand({ request, port, address }: RecordedRequest): string | undefined {
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
  for (const { name, value } of headers)
    if (!automaticHeaders.has(name.toLowerCase())) parts.push('-H', shellQuote(`${name}: ${value}`))
  if (body) parts.push('--data-binary', shellQuote(body))
  return [...parts, ...urlArguments(host, port, address, path)].join(' ')
}

/** The URL, preceded by `--resolve` if its host isn't the scanned address. */
function urlArguments(host: string, port: number | undefined, address: string, path: string): string[] {
  const [, name = host, named] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(host) ?? []
  const at = port ?? (named ? Number(named) : 80)
  const scheme = tlsPorts.has(at) ? 'https' : 'http'
  const isDefaultPort = at === (scheme === 'https' ? 443 : 80)
  const url = shellQuote(`${scheme}://${name}${isDefaultPort ? '' : `:${at}`}${path}`)
  const plain = address.includes(':') ? `[${address}]` : address
  return name === plain ? [url] : ['--resolve', shellQuote(`${name}:${at}:${plain}`), url]
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
