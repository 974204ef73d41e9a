/** A web server with outdated TLS. */
import { createServer } from 'node:https'
import { selfSigned, type SelfSigned } from '../certificate.ts'
import { listenTcp, type HostDefinition, type HasWeakness } from '../service.ts'

const day = 86_400_000

/** Certificate and protocol versions depend on the remaining weaknesses at each handshake. */
export const oldTls: HostDefinition = {
  name: 'intranet',
  description: 'lighttpd 1.4.45 behind TLS 1.0 with an expired, self-signed certificate of 1024 bits',
  weaknesses: [
    { name: 'tls-old', expected: ['tls-version-weak'] },
    { name: 'tls-expired', expected: ['tls-certificate-expired'] },
    { name: 'tls-weak-key', expected: [] },
    { name: 'lighttpd-version', expected: ['CVE-2018-19052'] },
  ],
  expected: ['tls-certificate-self-signed'],
  services: [
    (address, hasWeakness) => {
      const context = contexts(hasWeakness)
      const server = createServer(context(), (request, response) => {
        request.resume()
        response.writeHead(request.url === '/' ? 200 : 404, {
          Server: hasWeakness('lighttpd-version') ? 'lighttpd/1.4.45' : 'lighttpd',
          'Content-Type': 'text/html',
        })
        response.end(`<title>${request.url === '/' ? 'Intranet' : '404 Not Found'}</title>\n`)
      })
      server.on('tlsClientError', (_, socket) => socket.destroy())
      // Fixes apply from the next handshake on.
      server.prependListener('connection', () => server.setSecureContext(context()))
      return listenTcp(server, address, [443, 8443, 0])
    },
  ],
}

/** Creates a certificate of each kind once, and returns the one for the current weaknesses. */
function contexts(hasWeakness: HasWeakness) {
  const cache = new Map<string, SelfSigned>()
  return () => {
    const bits = hasWeakness('tls-weak-key') ? 1024 : 2048
    const toDays = hasWeakness('tls-expired') ? -35 : 365
    const certificate = cache.get(`${bits} ${toDays}`) ?? createCertificate(bits, toDays)
    cache.set(`${bits} ${toDays}`, certificate)
    // OpenSSL's security level 0 allows algorithms that are disabled by default, except broken ciphers.
    return {
      ...certificate,
      minVersion: hasWeakness('tls-old') ? 'TLSv1' : 'TLSv1.2',
      ciphers: 'DEFAULT:@SECLEVEL=0',
    } as const
  }
}

function createCertificate(bits: number, toDays: number): SelfSigned {
  const now = Date.now()
  const to = new Date(now + toDays * day)
  return selfSigned('intranet.lab.test', { bits, from: new Date(to.getTime() - 366 * day), to })
}
