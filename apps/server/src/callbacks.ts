/** Out-of-band callbacks: parses the configured public address and starts the callback server. */
import { isIP, isIPv4 } from 'node:net'
import type { CallbackServer, CallbackSettings } from '@glacis/scanner'
import { z } from 'zod'
import { errorCode } from '#error-code.ts'
import { endpointsAt, ownAddresses } from '#endpoints.ts'
import { CliError } from '#cli-error.ts'

const port = z.int().min(1).max(65_535)
const name = z.string().regex(/^(?=.{1,200}$)[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/i)
const address = z.string().refine((text) => isIP(text) > 0)
const CallbackAddress = z
  .strictObject({
    host: z.union([address, name]),
    port: port.default(80),
    listen: address.optional(),
    listenPort: port.optional(),
    domain: name.optional(),
    dnsPort: port.optional(),
  })
  // The name server answers with the host's address, so a domain needs an IPv4 address as host.
  .refine(({ domain, host, dnsPort }) => (domain === undefined ? dnsPort === undefined : isIPv4(host)))

/** Completes error messages such as "… must be". */
export const callbackAddressExpects =
  'a host with an optional port (80 by default) such as 203.0.113.7:8088, or a JSON object with host, port, listen, listenPort, domain, and dnsPort; a domain requires an IPv4 address as host'

/** Parses the public address of the callback server: `host`, `host:port`, or a JSON object. */
export const callbackAddress = z
  .string()
  .transform((text, context): unknown => {
    try {
      return text.trimStart().startsWith('{') ? JSON.parse(text) : parseShortForm(text.trim())
    } catch {
      context.addIssue('Invalid JSON')
      return z.NEVER
    }
  })
  .pipe(CallbackAddress)
  .transform(settingsOf)

function parseShortForm(text: string): { host: string; port?: number } {
  if (isIP(text)) return { host: text }
  const [, bracketed, plain = '', digits] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  return { host: bracketed ?? plain, ...(digits !== undefined && { port: Number(digits) }) }
}

function settingsOf({
  host,
  port,
  listen,
  listenPort,
  domain,
  dnsPort,
}: z.infer<typeof CallbackAddress>): CallbackSettings {
  return {
    publicHost: host,
    publicPort: port,
    listen: listen ?? listenAt(host),
    httpPort: listenPort ?? port,
    ...(domain !== undefined && { domain, dnsPort: dnsPort ?? 53 }),
  }
}

/** Binds to the host itself if it is an address of this machine; behind NAT, or if it is a hostname, binds to all interfaces. */
function listenAt(host: string): string {
  if (isIP(host) && (host.startsWith('127.') || ownAddresses().includes(host))) return host
  return host.includes(':') ? '::' : '0.0.0.0'
}

/** Every `address:port` of the server. Scans exclude them, so that only targets connect there. */
export function callbackEndpoints(settings: CallbackSettings): string[] {
  const { publicHost, publicPort, listen, httpPort, dnsPort } = settings
  const ports = dnsPort === undefined ? [httpPort] : [httpPort, dnsPort]
  const listening = ports.flatMap((item) => endpointsAt([listen], item))
  const published = isIP(publicHost) && publicPort !== undefined ? endpointsAt([publicHost], publicPort) : []
  return [...new Set([...listening, ...published])]
}

/**
 * Starts the callback server. The caller closes it.
 *
 * @param settingName name of the setting, such as `GLACIS_CALLBACKS`, for error messages
 * @throws CliError if it can't listen on a port
 */
export async function startCallbacks(settings: CallbackSettings, settingName: string): Promise<CallbackServer> {
  // Imported lazily: this module is also loaded to read the settings.
  const { createCallbackServer } = await import('@glacis/scanner')
  return createCallbackServer(settings).catch((cause: unknown) => {
    throw explain(cause, settings, settingName)
  })
}

function explain(cause: unknown, { listen, httpPort, dnsPort }: CallbackSettings, settingName: string): unknown {
  const code = errorCode(cause)
  const isDns = cause instanceof Error && 'syscall' in cause && cause.syscall === 'bind'
  const location = `port ${isDns ? dnsPort : httpPort} on ${listen}`
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `${location} is in use. Stop the other program, or choose another port in ${settingName}`,
    EACCES: `${location} requires root privileges. Choose a port above 1023 in ${settingName}`,
    EADDRNOTAVAIL: `${listen} is not an address of this machine. Set "listen" in ${settingName} to one that is`,
  }
  const sentence = messages[code] ?? `${location} can't be opened (${code || String(cause)}). Check ${settingName}`
  return new CliError(`Can't start the callback server: ${sentence}.`, { cause })
}
