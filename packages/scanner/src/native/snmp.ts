/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** SNMP agents, over UDP or TCP. */
import { berElements, bytes, hex, tlv } from '#wire.ts'
import { checkInfo, type NativeContext, type NativeCheck, type Proof } from '#native/native-check.ts'

const publicCommunity = checkInfo({
  id: 'snmp-community-public',
  name: 'SNMP accepts the default community string (public)',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary: 'The SNMP agent accepts the default community string "public".',
  impact:
    'An attacker can read network addresses, routes, running processes, and installed software, unless a view limits the community.',
  remediation:
    'Use SNMPv3 with authentication and encryption (`rouser NAME priv` in Net-SNMP). Otherwise, change the community string, and allow only your management systems to use it.',
  reference: 'https://www.rfc-editor.org/rfc/rfc3414',
  tags: 'default-login snmp network udp',
  verifiedOn: 'snmpd snmpd-tcp snmpsim',
})
const privateCommunity = checkInfo({
  id: 'snmp-community-private',
  name: 'SNMP accepts the default write community string (private)',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:L',
  score: 9.4,
  summary:
    'The SNMP agent accepts the community string "private", the default for write access. The check did not write anything.',
  impact:
    "An attacker can usually change the device's configuration, such as addresses, routes, and the state of interfaces.",
  remediation:
    'Remove the write community (`rwcommunity` in Net-SNMP), use SNMPv3 with authentication and encryption, and allow only your management systems to connect.',
  reference: 'https://www.rfc-editor.org/rfc/rfc3414',
  tags: 'default-login snmp network udp',
  verifiedOn: 'snmpd',
})
const publicWrites = checkInfo({
  id: 'snmp-community-writable',
  name: 'SNMP accepts the default community string for writing (public)',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:L',
  score: 9.4,
  summary:
    'The SNMP agent allows writing with the community string "public". The check sent a value of the wrong type; the agent rejected the type, but not the write itself.',
  impact: "An attacker can change the device's configuration, such as addresses, routes, and the state of interfaces.",
  remediation:
    'Make the community read-only (`rocommunity` in Net-SNMP) or remove it, use SNMPv3 with authentication and encryption, and allow only your management systems to connect.',
  reference: 'https://www.rfc-editor.org/rfc/rfc3416#section-4.2.5',
  tags: 'default-login snmp network udp',
  verifiedOn: 'snmpd-writable',
})

const extendCommands = checkInfo({
  id: 'snmp-extend-exposed',
  name: 'SNMP exposes commands of the agent (NET-SNMP extend)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary:
    'With a default community string, the Net-SNMP agent lists the commands that it runs on request (`extend` in its configuration) and their arguments. The check read the list and ran none of them.',
  impact:
    'An attacker learns the scripts and their arguments, which often include passwords, and can make the agent run the commands by reading their output. With write access, an attacker can add commands.',
  remediation:
    'Limit the view of the community to the objects that your monitoring needs (`view` and `access` in snmpd.conf), pass secrets to the scripts in files, and use SNMPv3.',
  reference: 'https://cwe.mitre.org/data/definitions/200.html',
  tags: 'exposure snmp network udp',
  verifiedOn: 'snmpd-extend',
})

/** Two reads of sysDescr, and one of the commands; nothing is set. Agents may also listen on TCP (RFC 3430). */
export const snmp: NativeCheck = {
  checks: [publicCommunity, privateCommunity, extendCommands],
  appliesTo: ({ protocol }) => protocol === 'snmp',
  async run(context) {
    const [open, writable] = [await readDescription(context, 1, 'public'), await readDescription(context, 0, 'private')]
    // Agents ignore unknown communities, so silence means that the community is not accepted.
    const community = open ? 'public' : writable ? 'private' : undefined
    const extended = community === undefined ? null : await readCommands(context, community)
    return { [publicCommunity.id]: open, [privateCommunity.id]: writable, [extendCommands.id]: extended }
  },
}

/** nsExtendConfigEntry of NET-SNMP-EXTEND-MIB, whose objects 2 and 3 are a command and its arguments. */
const extendEntry = hex('2b06010401bf080103020201')
const rowsMax = 20

/** Reads only the configuration; the agent runs a command when its output is read. */
async function readCommands(context: NativeContext, community: string): Promise<Proof | null> {
  const response = await sendMessage(context, snmpGetBulk(community, Buffer.concat([extendEntry, hex('02')])))
  const lines = boundValues(response).flatMap(({ name, value }) => {
    const isHere = name.subarray(0, extendEntry.length).equals(extendEntry)
    const column = { 2: 'nsExtendCommand', 3: 'nsExtendArgs' }[name[extendEntry.length] ?? 0]
    // The index is a text after its length.
    const index = name.subarray(extendEntry.length + 2).toString('latin1')
    const text = value.toString('latin1')
    return isHere && column !== undefined && text !== '' ? [`${column}."${index}" = ${text}`] : []
  })
  const [first] = lines
  if (first === undefined) return null
  const request = `SNMP v2c GetBulk 1.3.6.1.4.1.8072.1.3.2.2.1.2 (nsExtendCommand), community "${community}"`
  return { request, answer: lines.join('\n'), highlights: [first] }
}

/** The variables of a Response-PDU. */
function boundValues(response: Buffer): readonly { readonly name: Buffer; readonly value: Buffer }[] {
  const [message] = berElements(response)
  const pdu = [...berElements(message?.content ?? Buffer.alloc(0))].find(({ tag }) => tag === 0xa2)
  const list = [...berElements(pdu?.content ?? Buffer.alloc(0))].at(-1)
  return [...berElements(list?.content ?? Buffer.alloc(0))].flatMap(({ content }) => {
    const [name, value] = berElements(content)
    return name?.tag === 0x06 && value?.tag === 0x04 ? { name: name.content, value: value.content } : []
  })
}

function snmpGetBulk(community: string, name: Buffer): Buffer {
  const bound = tlv(0x30, Buffer.concat([tlv(0x06, name), hex('0500')]))
  const pdu = tlv(0xa5, Buffer.concat([hex('0204474c4145 020100'), Buffer.from([2, 1, rowsMax]), tlv(0x30, bound)]))
  return tlv(0x30, Buffer.concat([hex('020101'), tlv(0x04, bytes(community)), pdu]))
}

/** Writes that an agent must reject. Not every agent does, so they need permission. */
export const snmpWrites: NativeCheck = {
  permission: 'writes',
  checks: [publicWrites],
  appliesTo: ({ protocol, transport }) => protocol === 'snmp' && transport === 'udp',
  run: async (context) => ({ [publicWrites.id]: await writeWrongTypes(context, 'public') }),
}

/** Objects that agents usually allow clients to change, each with a value that can't be valid for its type. */
const writableObjects = [
  ['sysContact', '2b06010201010400', '020101'],
  ['sysLocation', '2b06010201010600', '020101'],
  ['sysName', '2b06010201010500', '020101'],
  ['snmpEnableAuthenTraps', '2b060102010b1e00', '040178'],
] as const
/** wrongType, which agents return only after the access check (RFC 3416, section 4.2.5). */
const wrongType = 7

async function writeWrongTypes(context: NativeContext, community: string): Promise<Proof | null> {
  for (const [name, oid, value] of writableObjects) {
    const response = await context.sendDatagram(snmpSet(community, oid, value), { waitMs: 700 })
    if (response.kind !== 'answer' || errorStatusOf(response.bytes) !== wrongType) continue
    const request = `SNMP v2c SET ${name}.0 to a value of the wrong type, community "${community}"`
    return { request, answer: 'error-status: wrongType (7)', highlights: ['wrongType'] }
  }
  return null
}

/** The error-status of a Response-PDU. */
function errorStatusOf(response: Buffer): number | undefined {
  const [message] = berElements(response)
  const pdu = [...berElements(message?.content ?? Buffer.alloc(0))].find(({ tag }) => tag === 0xa2)
  const [, status] = berElements(pdu?.content ?? Buffer.alloc(0))
  return status?.content[0]
}

function snmpSet(community: string, oid: string, value: string): Buffer {
  const bound = tlv(0x30, Buffer.concat([tlv(0x06, hex(oid)), hex(value)]))
  const pdu = tlv(0xa3, Buffer.concat([hex('0204474c4144 020100 020100'), tlv(0x30, bound)]))
  return tlv(0x30, Buffer.concat([hex('020101'), tlv(0x04, bytes(community)), pdu]))
}

async function readDescription(context: NativeContext, version: 0 | 1, community: string): Promise<Proof | null> {
  const response = await sendMessage(context, snmpGet(version, community))
  const description = descriptionOf(response)
  if (!response.toString('latin1').includes(community) || description === '') return null
  const request = `SNMP ${version === 1 ? 'v2c' : 'v1'} GET 1.3.6.1.2.1.1.1.0 (sysDescr), community "${community}"`
  return { request, answer: `sysDescr: ${description}`, highlights: [description] }
}

/** @returns the response over the service's transport; empty if there was none */
async function sendMessage(context: NativeContext, message: Buffer): Promise<Buffer> {
  if (context.service.transport === 'tcp') return (await context.exchange(message)) ?? Buffer.alloc(0)
  const response = await context.sendDatagram(message, { waitMs: 700 })
  return response.kind === 'answer' ? response.bytes : Buffer.alloc(0)
}

/**
 * SNMPv3 discovery (RFC 3414, section 4): answered without credentials, with the vendor's
 * enterprise number in the engine ID.
 */
export const snmpDiscovery: Buffer = hex(
  '303a 020103 300f 02024743 020300ffe3 040104 020103 0410 300e 0400 020100 020100 0400 0400 0400 3012 0400 0400 a00c 02024743 020100 020100 3000',
)

/** Enterprise number of an SNMP engine (RFC 3411, SnmpEngineID), or `unknown`. */
export function engineOf(response: Buffer): string {
  const [, number = ''] = /\x04[\x05-\x20](\x80[\s\S]{3})/.exec(response.toString('latin1')) ?? []
  return number === '' ? 'unknown' : `enterprise ${Buffer.from(number, 'latin1').readUInt32BE(0) & 0x7fffffff}`
}

/** The octet string of sysDescr.0 in a GetResponse; empty for any other message. */
export function descriptionOf(response: Buffer): string {
  const text = response.toString('latin1')
  const name = /\xa2[\s\S]{2,30}\x06\x08\x2b\x06\x01\x02\x01\x01\x01\x00\x04/.exec(text)
  const value = name ? text.slice(name.index + name[0].length) : ''
  return value.replace(/^(\x81.|\x82..|.)/s, '').slice(0, 300)
}

/** GetRequest for sysDescr.0 (RFC 1157, RFC 3416). */
export function snmpGet(version: 0 | 1, community: string, oid = '2b06010201010100'): Buffer {
  const name = hex(oid)
  const bound = tlv(0x30, Buffer.concat([tlv(0x06, name), hex('0500')]))
  const pdu = tlv(0xa0, Buffer.concat([hex('0204474c4143 020100 020100'), tlv(0x30, bound)]))
  return tlv(0x30, Buffer.concat([Buffer.from([2, 1, version]), tlv(0x04, bytes(community)), pdu]))
}
