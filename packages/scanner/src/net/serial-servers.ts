/** Servers that only handle one request at a time. */
import type { HttpResponse } from '#net/http-message.ts'

/** Server headers of programs that crash when two requests overlap. */
const SERIAL_SERVERS = /^owhttpd\b/i

export function isSerial({ headers }: HttpResponse): boolean {
  return headers.some(([name, value]) => name.toLowerCase() === 'server' && SERIAL_SERVERS.test(value))
}
