/** Protection that is none: broken ciphers and the first version of SSL, which no library offers any more. */
import { checkInfo } from '#native/native.ts'
import type { NativePlace, NativeSubject, Proof } from '#native/native.ts'
import { upgradable, upgrade } from '#native/starttls.ts'
import {
  brokenSuites,
  clientHello,
  isSsl2Hello,
  readServerHello,
  smallBlockSuites,
  ssl2Hello,
} from '#native/tls-hello.ts'

const broken = checkInfo({
  id: 'tls-cipher-weak',
  name: 'TLS with a broken cipher',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary: 'The server agrees to a cipher without encryption, without a certificate, of export strength, DES or RC4.',
  impact: 'Someone on the way can read the connection, or pose as the server.',
  remediation: 'Allow ciphers with forward secrecy and AES-GCM or ChaCha20 alone, and TLS 1.2 as the least version.',
  reference: 'https://www.rfc-editor.org/rfc/rfc9325#section-4.1',
  tags: 'tls ssl misconfig crypto',
})
const smallBlocks = checkInfo({
  id: 'tls-cipher-small-block',
  name: 'TLS with a cipher of 64-bit blocks',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 3.7,
  summary: 'The server agrees to Triple DES or IDEA, whose blocks repeat within a long connection (Sweet32).',
  impact: 'From some hundred gigabytes of one connection an attacker can recover parts such as cookies.',
  remediation: 'Remove Triple DES and IDEA from the list of ciphers.',
  reference: 'https://sweet32.info/',
  tags: 'tls ssl misconfig crypto',
})
const ssl2 = checkInfo({
  id: 'tls-ssl2-enabled',
  name: 'SSL 2.0 enabled',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 7.4,
  summary: 'The server speaks version 2.0 of SSL, which has been prohibited since 2011.',
  impact: 'Connections can be read and changed, also those of newer versions under the same key (DROWN).',
  remediation: 'Switch SSL 2.0 and SSL 3.0 off on every server that uses this key, and issue a new key.',
  reference: 'https://www.rfc-editor.org/rfc/rfc6176',
  tags: 'tls ssl misconfig crypto',
})

const patience = { firstByteMs: 3000, idleMs: 200, totalMs: 5000, bytesMax: 8192 }

/** Three hellos; no handshake is ever finished. */
export const tlsWeak: NativeSubject = {
  checks: [broken, smallBlocks, ssl2],
  concerns: ({ tls, protocol, transport }) => transport === 'tcp' && (tls || upgradable(protocol)),
  async examine(place) {
    const first = await offered(place, brokenSuites)
    // Whoever answered neither with a hello nor with an alert is not spoken to in TLS any more.
    if (first === undefined) return {}
    const second = await offered(place, smallBlockSuites)
    const heard = await answerTo(place, ssl2Hello)
    const isOld = heard !== undefined && isSsl2Hello(heard)
    const proof = {
      request: 'CLIENT-HELLO of SSL 2.0',
      answer: 'SERVER-HELLO, version 2.0',
      highlights: ['version 2.0'],
    }
    return {
      [broken.id]: first,
      ...(second !== undefined && { [smallBlocks.id]: second }),
      ...(heard !== undefined && { [ssl2.id]: isOld ? proof : null }),
    }
  },
}

async function offered(
  place: NativePlace,
  suites: Readonly<Record<number, string>>,
): Promise<Proof | null | undefined> {
  const heard = await answerTo(place, clientHello(Object.keys(suites).map(Number), place.hostname))
  if (!heard) return undefined
  const chosen = readServerHello(heard)
  // A server may also close where it ought to send an alert.
  if (chosen === 'refused' || heard.length === 0) return null
  if (chosen === undefined) return undefined
  const name = suites[chosen.suite]
  const request = `ClientHello of TLS 1.2, offering ${Object.values(suites).join(', ')}`
  return name === undefined ? null : { request, answer: `ServerHello: ${name}`, highlights: [name] }
}

/** What the first words of TLS are answered with; undefined when it never came to that, or nobody answered. */
async function answerTo(place: NativePlace, hello: Buffer): Promise<Buffer | undefined> {
  const { protocol, tls } = place.service
  let heard: Buffer | undefined
  await place.handshake({
    async before(line) {
      if (!tls && !(await upgrade(line, protocol))) return false
      line.write(hello)
      const answer = await line.read(patience)
      if (answer.length > 0 || !line.isAlive) heard = answer
      return false
    },
  })
  return heard
}
