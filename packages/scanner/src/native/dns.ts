import { type Packet, RECURSION_DESIRED, type Question } from 'dns-packet'
import { hex } from '#wire.ts'
import { checkInfo, type NativeContext, type NativeCheck, type Proof, type CheckResults } from '#native/native-check.ts'
import { decodeDns, type DnsMessage, encodeQuestion, textsOf, typeNameOf } from '#net/dns-message.ts'

const transfer = checkInfo({
  id: 'dns-zone-transfer',
  name: 'DNS zone transfer allowed (AXFR)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary:
    'The name server transfers a complete zone to any client. The check requested a zone and received its records.',
  impact: 'An attacker can obtain all names and addresses in the zone, including internal and forgotten hosts.',
  remediation:
    'Allow transfers only to secondary servers, for example `allow-transfer { 192.0.2.53; };` in BIND, and authenticate them with TSIG.',
  reference: 'https://www.rfc-editor.org/rfc/rfc5936#section-6',
  tags: 'misconfig dns disclosure network',
  verifiedOn: 'bind9 coredns knot nsd pdns yadifa',
})
const recursion = checkInfo({
  id: 'dns-open-recursion',
  name: 'Open DNS resolver (recursion allowed)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:N/I:N/A:L',
  score: 5.8,
  summary: 'The name server offers recursive resolution to any client.',
  impact: 'An attacker can abuse the server to amplify DDoS attacks, and try to poison its cache.',
  remediation:
    'Allow recursion only for your own networks: `allow-recursion { localnets; };` in BIND, `access-control:` in Unbound. On authoritative servers, turn it off with `recursion no;`.',
  reference: 'https://www.rfc-editor.org/rfc/rfc5358',
  tags: 'misconfig dns amplification network',
  verifiedOn: 'adguard-home bind9 coredns dnscache knot-resolver pdns-recursor unbound unbound-control unbound-dot',
})
const version = checkInfo({
  id: 'dns-version-disclosed',
  name: 'DNS server version disclosed (version.bind)',
  severity: 'info',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N',
  score: null,
  summary: 'The name server returns its software and version in response to a version.bind query.',
  impact: 'An attacker can look up known vulnerabilities of this version.',
  remediation: 'Hide the version: `version "none";` in BIND, `hide-version: yes` in Unbound.',
  reference: 'https://www.rfc-editor.org/rfc/rfc4892',
  tags: 'disclosure dns network',
  verifiedOn: 'bind9 knot nsd pdns pdns-recursor unbound unbound-control unbound-dot yadifa',
})
const update = checkInfo({
  id: 'dns-update-open',
  name: 'DNS dynamic updates accepted from any client',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:H/A:L',
  score: 8.6,
  summary:
    'The name server accepts dynamic updates of a zone from unauthenticated clients. The check sent an update without changes.',
  impact:
    'An attacker can replace records of the zone, redirect its websites and mail, and obtain certificates for it.',
  remediation:
    'Accept updates only with a TSIG key, for example `allow-update { key "dhcp"; };` or an `update-policy` in BIND.',
  reference: 'https://www.rfc-editor.org/rfc/rfc2136',
  tags: 'misconfig dns unauth network',
  verifiedOn: 'bind9-update',
})

/** Zone names common in private networks and test systems. */
const commonZones =
  'lan local localdomain home home.arpa internal intranet corp lab lab.test test example.com example.org example.net ' +
  'corp.local office.local ad.local lab.local test.local company.local home.lan corp.lan example.test corp.test internal.test ' +
  'example corp.example internal.example lab.example shop.example'

export const dns: NativeCheck = {
  checks: [transfer, recursion, version, update],
  appliesTo: ({ protocol }) => protocol === 'dns',
  async run(context) {
    const results: Record<string, Proof | null> = {}
    const rootReply = await firstReply(context)
    const reply = (await foreignReply(context, rootReply)) ?? rootReply
    const isRecursive = reply?.flag_ra && reply.rcode !== 'REFUSED'
    if (reply) results[recursion.id] = isRecursive ? recursionProof(reply) : null
    const versionReply = await query(context, versionQuestion)
    const [text] = recordsOf(versionReply).flatMap(textsOf)
    const isVersion = text !== undefined && /\d\.\d/.test(text)
    if (versionReply) {
      const request = 'TXT version.bind, class CHAOS'
      results[version.id] = isVersion ? { request, answer: text, highlights: [text] } : null
    }
    return { ...results, ...(rootReply || versionReply ? await zoneChecks(context) : {}) }
  },
}

async function firstReply(context: NativeContext): Promise<DnsMessage | null> {
  const reply = await query(context, { type: 'NS', name: '.' }, RECURSION_DESIRED)
  // A resolver that can't reach the root servers doesn't answer in time.
  return reply ?? query(context, localhostQuestion, RECURSION_DESIRED)
}

/** A forwarder returns the error of a server that doesn't know the root zone, but resolves other names. */
async function foreignReply(context: NativeContext, rootReply: DnsMessage | null): Promise<DnsMessage | null> {
  const isRefused = rootReply?.rcode === 'REFUSED'
  if (!isRefused && (rootReply?.rcode !== 'SERVFAIL' || rootReply.flag_ra)) return null
  const reply = await query(context, foreignQuestion, RECURSION_DESIRED)
  return isRefused && recordsOf(reply).length === 0 ? null : reply
}

export const versionQuestion: Question = { type: 'TXT', class: 'CH', name: 'version.bind' }
const localhostQuestion: Question = { type: 'A', name: 'localhost' }
/** For servers that only resolve names of other zones. */
const foreignQuestion: Question = { type: 'A', name: 'www.example.com' }

function recursionProof(rootReply: DnsMessage): Proof {
  const answer = `Recursion available (RA) flag set, rcode ${rootReply.rcode}, records: ${recordsOf(rootReply).length}`
  const [asked] = rootReply.questions ?? []
  return {
    request: `${asked?.type ?? 'NS'} ${asked?.name ?? '.'} with recursion desired (RD)`,
    answer,
    highlights: ['RA'],
  }
}

const id = 0x4743
const recordsMax = 200

export function dnsQuery(question: Question, flags = 0): Buffer {
  return encodeQuestion(id, question, flags) ?? Buffer.alloc(0)
}

export const localhostQuery: Buffer = dnsQuery(localhostQuestion, RECURSION_DESIRED)

/** dnscache answers this name itself, with a time to live that is built in. */
export function softwareByLocalhost(message: Buffer): readonly string[] {
  const isBuiltIn = recordsOf(readAnswer(message)).some(
    (record) => record.type === 'A' && record.ttl === 655_360 && record.data === '127.0.0.1',
  )
  return isBuiltIn ? ['djbdns'] : []
}

/** Null when the message doesn't answer our query. */
export function readAnswer(message: Buffer): DnsMessage | null {
  const read = decodeDns(message)
  return read?.type === 'response' && read.id === id ? read : null
}

export function recordsOf(message: Packet | null | undefined) {
  return message?.answers?.slice(0, recordsMax) ?? []
}

/** Uses the transport that the service responded on. */
async function query(context: NativeContext, question: Question, flags = 0): Promise<DnsMessage | null> {
  const message = dnsQuery(question, flags)
  if (context.service.transport === 'udp') {
    const answer = await context.sendDatagram(message)
    return answer.kind === 'answer' ? readAnswer(answer.bytes) : null
  }
  const received = await context.exchange(framed(message), { enough: isCompleteMessage })
  return received ? readAnswer(received.subarray(2)) : null
}

export function framed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message])
}

function isCompleteMessage(received: Buffer): boolean {
  return received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)
}

const transfersMax = 6

/** Only asks about zones that the server has. CoreDNS doesn't always state that it is authoritative for them. */
async function zoneChecks(context: NativeContext): Promise<CheckResults> {
  if (context.service.transport === 'udp') return {}
  const results: Record<string, Proof | null> = { [transfer.id]: null, [update.id]: null }
  let transfers = 0
  for (const zone of zonesOf(context.hostNames)) {
    const start = await query(context, { type: 'SOA', name: zone })
    const isOwn = recordsOf(start).some(({ type, name }) => type === 'SOA' && name.toLowerCase() === zone)
    if (!start || !isOwn || (!start.flag_aa && ++transfers > transfersMax)) continue
    results[transfer.id] ??= await transferZone(context, zone)
    if (start.flag_aa) results[update.id] ??= await updateZone(context, zone)
    if (Object.values(results).every(Boolean)) break
  }
  return results
}

async function transferZone(context: NativeContext, zone: string): Promise<Proof | null> {
  const received = await context.exchange(framed(dnsQuery({ type: 'AXFR', name: zone })), { idleMs: 400 })
  const records = received ? transferredRecords(received) : []
  if (records.length <= 2 || records[0]?.type !== 'SOA') return null
  const names = records.map((record) => `${record.name} type ${typeNameOf(record)}`)
  const text = `records: ${records.length}\n${names.join('\n')}`
  return { request: `AXFR ${zone}`, answer: text, highlights: [zone] }
}

/**
 * An update without changes, which only a permitted client may send, and one whose prerequisite fails, which a server
 * that evaluates updates must reject.
 */
async function updateZone(context: NativeContext, zone: string): Promise<Proof | null> {
  const name = dnsQuery({ type: 'A', name: `glacis-no-such-name.${zone}` }).subarray(12, -4)
  const rejected = await sendUpdate(context, zone, Buffer.concat([name, hex('00ff 00ff 00000000 0000')]))
  if (rejected !== nameMissing) return null
  const accepted = await sendUpdate(context, zone)
  if (accepted !== 0) return null
  return { request: `UPDATE ${zone} without changes`, answer: 'rcode NOERROR', highlights: ['NOERROR'] }
}
/** NXDOMAIN: a name that must exist doesn't. */
const nameMissing = 3
const updateOpcode = 5

/** @returns the response code; undefined without a response to an update */
async function sendUpdate(context: NativeContext, zone: string, prerequisite?: Buffer): Promise<number | undefined> {
  const message = Buffer.concat([dnsQuery({ type: 'SOA', name: zone }), prerequisite ?? Buffer.alloc(0)])
  message.writeUInt16BE(updateOpcode << 11, 2)
  message.writeUInt16BE(prerequisite ? 1 : 0, 6)
  const received = await context.exchange(framed(message), { enough: isCompleteMessage })
  if (!received || received.length < 14 || received.readUInt16BE(2) !== id) return undefined
  const flags = received.readUInt16BE(4)
  return flags >> 11 === (0x10 | updateOpcode) ? flags & 0xf : undefined
}

/** The records of all messages; servers may send each record in a message of its own (RFC 5936, section 2.2). */
function transferredRecords(received: Buffer) {
  const records = []
  for (let rest = received; isCompleteMessage(rest) && records.length < recordsMax;) {
    const end = 2 + rest.readUInt16BE(0)
    const message = readAnswer(rest.subarray(2, end))
    if (message?.rcode !== 'NOERROR') break
    records.push(...recordsOf(message))
    rest = rest.subarray(end)
  }
  return records
}

function zonesOf(hostNames: readonly string[]): string[] {
  const known = hostNames
    .filter((name) => /[a-z]$/.test(name))
    .flatMap((name) => name.split('.').map((_, index, labels) => labels.slice(index).join('.')))
  return [...new Set([...known, ...commonZones.split(' ')])].slice(0, 40)
}
