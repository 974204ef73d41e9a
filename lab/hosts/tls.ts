/** A web server with yesterday's TLS. */
import { createServer } from 'node:https'
import { selfSigned, type SelfSigned } from '../certificate.ts'
import { listenTcp, type Role, type Weak } from '../service.ts'

const day = 86_400_000

/** Certificate and versions follow the weaknesses that are left, handshake by handshake. */
export const oldTls: Role = {
  name: 'intranet',
  about: 'lighttpd 1.4.45 behind TLS 1.0 with an expired, self-signed certificate of 1024 bits',
  weaknesses: [
    { name: 'tls-old', expected: ['tls-version-weak'] },
    { name: 'tls-expired', expected: ['tls-certificate-expired'] },
    { name: 'tls-weak-key', expected: [] },
    { name: 'lighttpd-version', expected: ['CVE-2018-19052'] },
  ],
  expected: ['tls-certificate-self-signed'],
  services: [
    (address, isWeak) => {
      const context = contexts(isWeak)
      const server = createServer(context(), (request, response) => {
        request.resume()
        response.writeHead(request.url === '/' ? 200 : 404, {
          Server: isWeak('lighttpd-version') ? 'lighttpd/1.4.45' : 'lighttpd',
          'Content-Type': 'text/html',
        })
        response.end(`<title>${request.url === '/' ? 'Intranet' : '404 Not Found'}</title>\n`)
      })
      server.on('tlsClientError', (_, socket) => socket.destroy())
      // What was mended holds from the next handshake on.
      server.prependListener('connection', () => server.setSecureContext(context()))
      return listenTcp(server, address, [443, 8443, 0])
    },
  ],
}

/** Makes a certificate of each kind once, and gives the one that fits the weaknesses of the moment. */
function contexts(isWeak: Weak) {
  const known = new Map<string, SelfSigned>()
  return () => {
    const bits = isWeak('tls-weak-key') ? 1024 : 2048
    const toDays = isWeak('tls-expired') ? -35 : 365
    const certificate = known.get(`${bits} ${toDays}`) ?? make(bits, toDays)
    known.set(`${bits} ${toDays}`, certificate)
    // OpenSSL's security level 0 permits what it has long forbidden by default; broken ciphers stay away.
    return {
      ...certificate,
      minVersion: isWeak('tls-old') ? 'TLSv1' : 'TLSv1.2',
      ciphers: 'DEFAULT:@SECLEVEL=0',
    } as const
  }
}

function make(bits: number, toDays: number): SelfSigned {
  const now = Date.now()
  const to = new Date(now + toDays * day)
  return selfSigned('intranet.lab.test', { bits, from: new Date(to.getTime() - 366 * day), to })
}
