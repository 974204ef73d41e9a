import { bytes, checkInfo, hex } from '#native/native.ts'
import type { NativePlace, NativeSubject, Proof } from '#native/native.ts'

const http = checkInfo({
  id: 'http-proxy-open',
  name: 'Open HTTP proxy',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:L/A:N',
  score: 7.2,
  summary: 'The proxy carries requests of strangers.',
  impact: 'Attackers reach inner services through it and hide behind your address.',
  remediation:
    'Let only your own networks use the proxy (http_access in Squid, Allow in Tinyproxy), or ask for a password.',
  reference: 'https://cwe.mitre.org/data/definitions/441.html',
  tags: 'misconfig proxy unauth network',
})
const socks = checkInfo({
  id: 'socks-proxy-open',
  name: 'Open SOCKS proxy',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:L/A:N',
  score: 7.2,
  summary: 'The SOCKS proxy takes connections of strangers without a password.',
  impact: 'Attackers reach inner services through it and hide behind your address.',
  remediation: 'Ask for a password or let only your own networks use the proxy.',
  reference: 'https://www.rfc-editor.org/rfc/rfc1928',
  tags: 'misconfig proxy unauth network',
})
/** A name that cannot exist (RFC 6761): a proxy that obeys tells that it looked for it. */
const nowhere = 'glacis-proxy-check.invalid'

/** Asks the proxy to reach itself and a name that does not exist; nothing beyond the target is touched. */
export const httpProxy: NativeSubject = {
  checks: [http],
  concerns: ({ protocol, tls, banner, technologies, port }) =>
    protocol === 'http' &&
    !tls &&
    (/proxy|squid|varnish|privoxy|polipo|wingate|mitm/i.test(banner) ||
      technologies.some(({ name }) => /proxy|squid|privoxy|traffic server/i.test(name)) ||
      [3128, 8118, 8888, 8123, 1080, 8080].includes(port)),
  async examine(place) {
    const tunnelled = await tunnel(place)
    if (tunnelled) return { [http.id]: tunnelled }
    const looked = await lookFor(place)
    return looked === undefined ? {} : { [http.id]: looked }
  },
}

/** A tunnel from the proxy to itself, and through it a question that the proxy answers. */
async function tunnel(place: NativePlace): Promise<Proof | null> {
  const { address, port } = place
  const host = `${address.includes(':') ? `[${address}]` : address}:${port}`
  const asked = `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const heard = await place.speak(async (line) => {
    line.write(bytes(asked))
    const first = (await line.read({ firstByteMs: 3000, idleMs: 300 })).toString('latin1')
    if (!/^HTTP\/1\.[01] 200/.test(first) || !line.isAlive) return undefined
    line.write(bytes(`GET /glacis-proxy-check HTTP/1.0\r\nHost: ${nowhere}\r\n\r\n`))
    const inner = (await line.read({ firstByteMs: 3000, idleMs: 300 })).toString('latin1')
    // A server that says 200 to every method would call a body of its own a tunnel.
    const isTunnel = first.endsWith('\r\n\r\n') && !/content-length: [1-9]|transfer-encoding/i.test(first)
    return isTunnel && /^HTTP\/1\.[01] \d{3}/.test(inner) ? `${first}${inner.slice(0, 1500)}` : undefined
  })
  return heard ? { request: asked, answer: heard, highlights: [heard.split('\r\n', 1)[0] ?? ''] } : null
}

/** What proxies say when they looked for a name and did not find it. */
const notFound =
  /ERR_DNS_FAIL|ERR_CANNOT_FORWARD|unable to (connect|determine|resolve)|could not (resolve|be resolved|find)|cannot resolve|name or service not known|host ?name (lookup|resolution)|unknown host|no such (host|domain)|ENOTFOUND|EAI_AGAIN|DNS (lookup|error|fail)|getaddrinfo|temporary failure in name/i

async function lookFor(place: NativePlace): Promise<Proof | null | undefined> {
  const asked = `GET http://${nowhere}/ HTTP/1.0\r\nHost: ${nowhere}\r\nAccept: */*\r\n\r\n`
  const answer = (await place.ask(bytes(asked), { firstByteMs: 8000, totalMs: 10_000 }))?.toString('latin1')
  if (answer === undefined || !answer.startsWith('HTTP/')) return undefined
  const isFailure = /^HTTP\/1\.[01] (500|502|503|504)/.test(answer)
  const said = notFound.exec(answer)
  if (!isFailure || !said) return null
  return { request: asked, answer, highlights: [said[0]], quality: 97 }
}

export const socksProxy: NativeSubject = {
  checks: [socks],
  concerns: ({ protocol }) => protocol === 'socks5',
  async examine(place) {
    if (place.address.includes(':')) return {}
    const target = Buffer.from(place.address.split('.').map(Number))
    const port = Buffer.from([place.port >> 8, place.port & 0xff])
    const heard = await place.speak(async (line) => {
      line.write(hex('050100'))
      const method = await line.read({ firstByteMs: 3000, enough: (all) => all.length >= 2 })
      if (method[0] !== 5 || method[1] !== 0) return Buffer.alloc(0)
      line.write(Buffer.concat([hex('05010001'), target, port]))
      return line.read({ firstByteMs: 4000, enough: (all) => all.length >= 10 })
    })
    if (!heard) return {}
    const isOpen = heard[0] === 5 && heard[1] === 0
    const request = `SOCKS5, no password: connect to ${place.address}:${place.port}`
    const answer = `reply ${heard.toString('hex')}`
    return { [socks.id]: isOpen ? { request, answer, highlights: ['0500'] } : null }
  },
}
