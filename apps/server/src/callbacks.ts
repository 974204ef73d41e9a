/** Out-of-band callbacks: how an operator names the place where targets reach us, and the start of the server there. */
import { isIP, isIPv4 } from 'node:net'
import type { CallbackServer, CallbackSettings } from '@glacis/scanner'
import { z } from 'zod'
import { endpointsAt, ownAddresses } from '#endpoints.ts'
import { Obstacle } from '#obstacle.ts'

const port = z.int().min(1).max(65_535)
const name = z.string().regex(/^(?=.{1,200}$)[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/i)
const address = z.string().refine((text) => isIP(text) > 0)
const Place = z
  .strictObject({
    host: z.union([address, name]),
    port: port.default(80),
    listen: address.optional(),
    listenPort: port.optional(),
    domain: name.optional(),
    dnsPort: port.optional(),
  })
  // The names of the domain lead to the host, and a name server answers with addresses.
  .refine(({ domain, host, dnsPort }) => (domain === undefined ? dnsPort === undefined : isIPv4(host)))

/** What the text of a place must be, to complete "… must be". */
export const callbackPlaceExpects =
  'a host, with a port where it is not 80, such as 203.0.113.7:8088, or a JSON object of host, port, listen, listenPort, domain and dnsPort, where a domain needs an IPv4 address as host'

/** Reads a place as an operator writes it: `host`, `host:port`, or all of it as JSON. */
export const callbackPlace = z
  .string()
  .transform((text, context): unknown => {
    try {
      return text.trimStart().startsWith('{') ? JSON.parse(text) : shortPlace(text.trim())
    } catch {
      context.addIssue('no JSON')
      return z.NEVER
    }
  })
  .pipe(Place)
  .transform(settingsOf)

function shortPlace(text: string): { host: string; port?: number } {
  if (isIP(text)) return { host: text }
  const [, bracketed, plain = '', digits] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  return { host: bracketed ?? plain, ...(digits !== undefined && { port: Number(digits) }) }
}

function settingsOf({ host, port, listen, listenPort, domain, dnsPort }: z.infer<typeof Place>): CallbackSettings {
  return {
    publicHost: host,
    publicPort: port,
    listen: listen ?? listenAt(host),
    httpPort: listenPort ?? port,
    ...(domain !== undefined && { domain, dnsPort: dnsPort ?? 53 }),
  }
}

/** An address of this machine is listened on alone; behind a router or a name, any of ours may be meant. */
function listenAt(host: string): string {
  if (isIP(host) && (host.startsWith('127.') || ownAddresses().includes(host))) return host
  return host.includes(':') ? '::' : '0.0.0.0'
}

/** Every `address:port` of the server; scans leave them alone, so that nobody but a target calls there. */
export function callbackEndpoints(settings: CallbackSettings): string[] {
  const { publicHost, publicPort, listen, httpPort, dnsPort } = settings
  const ports = dnsPort === undefined ? [httpPort] : [httpPort, dnsPort]
  const own = ports.flatMap((one) => endpointsAt([listen], one))
  const seen = isIP(publicHost) && publicPort !== undefined ? endpointsAt([publicHost], publicPort) : []
  return [...new Set([...own, ...seen])]
}

/**
 * Starts to hear targets. The caller closes it.
 *
 * @param where what holds the place, such as `GLACIS_CALLBACKS`, for the sentence about it
 * @throws Obstacle when a port cannot be listened on
 */
export async function startCallbacks(settings: CallbackSettings, where: string): Promise<CallbackServer> {
  // Loaded late: the settings are read before anything else.
  const { createCallbackServer } = await import('@glacis/scanner')
  return createCallbackServer(settings).catch((cause: unknown) => {
    throw explain(cause, settings, where)
  })
}

function explain(cause: unknown, { listen, httpPort, dnsPort }: CallbackSettings, where: string): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const isDns = cause instanceof Error && 'syscall' in cause && cause.syscall === 'bind'
  const place = `port ${isDns ? dnsPort : httpPort} of ${listen}`
  const words: Readonly<Record<string, string>> = {
    EADDRINUSE: `${place} is taken by another program; stop it, or choose another port`,
    EACCES: `${place} is reserved for the administrator; choose one above 1023`,
    EADDRNOTAVAIL: `${listen} is not an address of this machine; name one of its own as "listen"`,
  }
  const sentence = words[code] ?? `${place} cannot be listened on (${code || String(cause)})`
  return new Obstacle(`Targets cannot call back: ${sentence} in ${where}.`, { cause })
}
