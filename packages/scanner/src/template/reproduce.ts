/** Commands that show a weakness again. They change nothing on the target. */
import { bracketed } from '#ip.ts'
import { type HttpRequest, type Origin, safeMethods } from '#net/http-message.ts'
import { maskSecrets } from '#template/evidence.ts'

const COMMAND_LENGTH_MAX = 4000
/** curl sets these itself. */
const ownHeaders: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'accept-encoding'])

/**
 * The curl command of a request. It connects to the address that was scanned, whatever the name
 * resolves to.
 *
 * @returns null for a request that may change something, or that a shell command can't carry
 */
export function curlCommand(origin: Origin, { method, path, headers = {}, body }: HttpRequest): string | null {
  if (!safeMethods.has(method) || body !== undefined) return null
  const { address, port, tls, hostname } = origin
  const host = hostname === '' ? address : hostname
  const written = Object.entries(headers)
  const sentHost = written.find(([name]) => name.toLowerCase() === 'host')?.[1]
  const options = [
    tls ? '-sik' : '-si',
    '--path-as-is',
    '--globoff',
    ...(method === 'HEAD' ? ['-I'] : method === 'GET' ? [] : ['-X', method]),
    ...(host === address ? [] : ['--resolve', quoted(`${host}:${port}:${bracketed(address)}`)]),
    ...(sentHost === undefined ? [] : ['-H', quoted(masked(`Host: ${sentHost}`))]),
    ...written.flatMap(([name, value]) =>
      ownHeaders.has(name.toLowerCase()) ? [] : ['-H', quoted(value === '' ? `${name};` : masked(`${name}: ${value}`))],
    ),
  ]
  const url = quoted(`${tls ? 'https' : 'http'}://${bracketed(host)}:${port}${masked(path)}`)
  const command = ['curl', ...options, url].join(' ')
  // A path may be percent-encoded only in part; curl can't send control characters.
  return isPrintable(command) && command.length <= COMMAND_LENGTH_MAX ? command : null
}

/**
 * The command that sends these bytes to a TCP service and shows the response.
 *
 * @returns null for input that is too long or contains a secret
 */
export function tcpCommand({ address, port, tls, hostname }: Origin, sent: string): string | null {
  const client = tls
    ? `openssl s_client -quiet -connect ${quoted(`${bracketed(address)}:${port}`)} -servername ${quoted(hostname || address)}`
    : `nc -w 5 ${quoted(address)} ${port}`
  if (maskSecrets(sent) !== sent) return null
  const command = sent === '' ? `${client} < /dev/null` : `(printf ${quoted(formatOf(sent))}; sleep 2) | ${client}`
  return command.length <= COMMAND_LENGTH_MAX ? command : null
}

/** A `printf` format that writes these bytes (POSIX: octal escapes, `%%`, and a doubled backslash). */
function formatOf(bytes: string): string {
  return bytes.replaceAll(/[^ -~]|[%\\]/g, (byte) => {
    if (byte === '%') return '%%'
    return byte === '\\' ? '\\\\' : `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`
  })
}

/** One word of a POSIX shell: nothing inside single quotes is special. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Masked before it is quoted, so that masking can't remove a quote. */
function masked(text: string): string {
  return /^(?:proxy-)?authorization:|^cookie:/i.test(text) ? text.replace(/:.*/s, ': ••••••') : maskSecrets(text)
}

function isPrintable(text: string): boolean {
  return /^[ -~\u2022]*$/.test(text)
}
