import { checkInfo } from '#native/native.ts'
import type { NativePlace, NativeSubject, Proof, Verdicts } from '#native/native.ts'
import { classes, dnsQuestion, readDns, textOf, types, type DnsAnswer } from '#native/dns-message.ts'

const transfer = checkInfo({
  id: 'dns-zone-transfer',
  name: 'DNS zone transfer open',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary: 'The name server hands a whole zone to whoever asks for a transfer (AXFR).',
  impact: 'All names and addresses of the zone are told, inner ones and forgotten ones included.',
  remediation: 'Allow transfers to the secondary servers only (allow-transfer in BIND), best with TSIG.',
  reference: 'https://www.rfc-editor.org/rfc/rfc5936#section-6',
  tags: 'misconfig dns disclosure network',
})
const recursion = checkInfo({
  id: 'dns-open-recursion',
  name: 'DNS server resolves for everyone',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:N/I:N/A:L',
  score: 5.8,
  summary: 'The name server offers recursion to strangers.',
  impact: 'It can be used to flood others with amplified answers, and its cache can be attacked.',
  remediation: 'Offer recursion to your own networks only (allow-recursion in BIND).',
  reference: 'https://www.rfc-editor.org/rfc/rfc5358',
  tags: 'misconfig dns amplification network',
})
const version = checkInfo({
  id: 'dns-version-disclosed',
  name: 'DNS server tells its version',
  severity: 'info',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N',
  score: null,
  summary: 'The name server answers version.bind with its software and version.',
  impact: 'It saves an attacker the work of finding out which flaws may be there.',
  remediation: 'Set a text of your own (version in BIND, hide-version in Unbound).',
  reference: 'https://www.rfc-editor.org/rfc/rfc4892',
  tags: 'disclosure dns network',
})

/** Zones that private networks and test systems often have. */
const usualZones =
  'lan local localdomain home home.arpa internal intranet corp lab lab.test test example.com example.org'

export const dns: NativeSubject = {
  checks: [transfer, recursion, version],
  concerns: ({ protocol }) => protocol === 'dns',
  async examine(place) {
    const verdicts: Record<string, Proof | null> = {}
    const root = await query(place, dnsQuestion('.', types.NS, { wantsRecursion: true }))
    if (root) verdicts[recursion.id] = root.isRecursive && root.code !== refused ? recursionProof(root) : null
    const named = await query(place, dnsQuestion('version.bind', types.TXT, { kind: classes.CHAOS }))
    const [text] = named?.records.filter(({ type }) => type === types.TXT).map(textOf) ?? []
    const isVersion = text !== undefined && /\d+\.\d+/.test(text)
    if (named) {
      const request = 'TXT version.bind, class CHAOS'
      verdicts[version.id] = isVersion ? { request, answer: text, highlights: [text] } : null
    }
    return { ...verdicts, ...(root || named ? await transfers(place) : {}) }
  },
}

const refused = 5

function recursionProof({ code, records }: DnsAnswer): Proof {
  const answer = `The answer to NS of the root has the flag RA set, code ${code}, ${records.length} records.`
  return { request: 'NS of the root, recursion desired', answer, highlights: ['RA'] }
}

/** Asks by the transport that answered. */
async function query(place: NativePlace, question: Buffer): Promise<DnsAnswer | null> {
  if (place.service.transport === 'udp') {
    const answer = await place.datagram(question)
    return answer.kind === 'answer' ? readDns(answer.bytes) : null
  }
  const heard = await place.ask(framed(question), { enough: isWhole })
  return heard && heard.length > 2 ? readDns(heard.subarray(2)) : null
}

function framed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message])
}

function isWhole(heard: Buffer): boolean {
  return heard.length >= 2 && heard.length >= 2 + heard.readUInt16BE(0)
}

/** Only zones of which the server says that they are its own are asked for. */
async function transfers(place: NativePlace): Promise<Verdicts> {
  if (place.service.transport === 'udp') return {}
  for (const zone of zonesOf(place.hostNames)) {
    const start = await query(place, dnsQuestion(zone, types.SOA))
    if (!start?.isAuthoritative || !start.records.some(({ type }) => type === types.SOA)) continue
    const heard = await place.ask(framed(dnsQuestion(zone, types.AXFR)), { idleMs: 400, enough: isWhole })
    const answer = heard && heard.length > 2 ? readDns(heard.subarray(2)) : null
    if (answer?.code === 0 && answer.records.length > 2 && answer.records[0]?.type === types.SOA) {
      const names = answer.records.map(({ name, type }) => `${name} type ${type}`)
      const text = `${answer.records.length} records:\n${names.join('\n')}`
      return { [transfer.id]: { request: `AXFR ${zone}`, answer: text, highlights: [zone] } }
    }
  }
  return { [transfer.id]: null }
}

function zonesOf(hostNames: readonly string[]): string[] {
  const known = hostNames
    .filter((name) => /[a-z]$/.test(name))
    .flatMap((name) => name.split('.').map((_, index, labels) => labels.slice(index).join('.')))
  return [...new Set([...known, ...usualZones.split(' ')])].slice(0, 40)
}
