/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Probes for controllers, accelerators, medical archives, and buses and applications behind other servers. */
import type { Probe } from '#fingerprint/probe.ts'
import { spiceLink } from '#native/spice.ts'
import { xpraVersionRequest } from '#native/xpra.ts'
import { bytes, hex } from '#wire.ts'

const item = (type: string, body: Uint8Array) => {
  const head = Buffer.concat([hex(type), hex('00 0000')])
  head.writeUInt16BE(body.length, 2)
  return Buffer.concat([head, body])
}

/**
 * A-ASSOCIATE-RQ for C-ECHO (DICOM PS3.8, section 9.3.2), from GLACIS to the application entity title ANY-SCP.
 */
export const dicomAssociation: Buffer = dicomRequest()

function dicomRequest(): Buffer {
  const context = Buffer.concat([
    hex('01 00 00 00'),
    item('30', bytes('1.2.840.10008.1.1')),
    item('40', bytes('1.2.840.10008.1.2')),
  ])
  const user = Buffer.concat([item('51', hex('00004000')), item('52', bytes('1.2.826.0.1.3680043.9.3811.1'))])
  const body = Buffer.concat([
    hex('0001 0000'),
    bytes('ANY-SCP'.padEnd(16)),
    bytes('GLACIS'.padEnd(16)),
    Buffer.alloc(32),
    item('10', bytes('1.2.840.10008.3.1.1.1')),
    item('20', context),
    item('50', user),
  ])
  const head = hex('0100 00000000')
  head.writeUInt32BE(body.length, 2)
  return Buffer.concat([head, body])
}

/** VERSION, then ECHO (Channel Access protocol specification, sections 5.1 and 5.4). */
export const channelAccessEcho: Buffer = hex(
  '0000 0000 0000 000d 00000000 00000000 0017 0000 0000 0000 00000000 00000000',
)

const clientVersion = '<?xml version="1.0"?><methodCall><methodName>system.client_version</methodName></methodCall>'

/** A call of XML-RPC over SCGI: rTorrent returns its version, and other applications the response to a POST request. */
export const scgiCall: Buffer = scgiRequest('/RPC2', clientVersion)

function scgiRequest(path: string, body: string): Buffer {
  const headers = [
    ['CONTENT_LENGTH', String(body.length)],
    ['SCGI', '1'],
    ['REQUEST_METHOD', 'POST'],
    ['REQUEST_URI', path],
    ['SCRIPT_NAME', ''],
    ['PATH_INFO', path],
    ['QUERY_STRING', ''],
    ['CONTENT_TYPE', 'text/xml'],
    ['SERVER_NAME', 'glacis.invalid'],
    ['SERVER_PORT', '80'],
    ['SERVER_PROTOCOL', 'HTTP/1.1'],
  ]
  const netstring = headers.map(([name, value]) => `${name}\0${value}\0`).join('')
  return bytes(`${netstring.length}:${netstring},${body}`)
}

export const controlProbes: readonly Probe[] = [
  {
    protocol: 'xpra',
    ports: [14500],
    request: xpraVersionRequest,
    responsePattern: /^(?:P[\x01\x10]\0\0[\s\S]{4}[\xc2-\xc5]\x85hello|disconnect: failed to parse)/,
    field: 'protocol.software',
    read: (response) => `Xpra ${/\x87version[\x83-\xa0](\d[\d.]{1,30})/.exec(response)?.[1] ?? ''}`.trim(),
    isOwnPortsOnly: true,
    isBinary: true,
  },
  {
    // Servers answer every message of another protocol like this one: with a header of their own.
    protocol: 'spice',
    ports: [5930, 5900, 5901],
    request: spiceLink,
    responsePattern: /^REDQ\x02\0\0\0/,
    field: 'protocol.software',
    read: () => 'SPICE 2',
    isBinary: true,
  },
  {
    // A mechanism that most buses reject; the response lists those that they accept (D-Bus specification).
    protocol: 'dbus',
    ports: [12345, 12434],
    request: bytes('\0AUTH ANONYMOUS\r\n'),
    responsePattern: /^(?:OK [0-9a-f]{32}|REJECTED(?: [A-Z0-9_]{3,20}){1,6})\r\n$/,
    field: 'protocol.software',
    read: () => 'D-Bus',
  },
  {
    protocol: 'unbound-control',
    ports: [8953],
    request: bytes('UBCT1 status\n'),
    responsePattern: /^version: \d[\d.]{1,20}\nverbosity: \d/,
    field: 'protocol.software',
    read: (response) => `Unbound ${/^version: (\d[\d.]{1,20})/.exec(response)?.[1] ?? ''}`.trim(),
    isOwnPortsOnly: true,
  },
  {
    protocol: 'scgi',
    ports: [5000, 4000],
    request: scgiCall,
    responsePattern: /^Status: [1-5]\d\d[ \r\n]/,
    field: 'scgi.response',
  },
  {
    protocol: 'dicom',
    ports: [104, 11112, 4242, 2761, 2762, 5678],
    request: dicomAssociation,
    responsePattern: /^(?:\x02\0\0\0[\s\S]{2}\0\x01|\x03\0\0\0\0\x04\0[\x01\x02][\x01-\x03])/,
    field: 'protocol.software',
    read: dicomImplementation,
    isBinary: true,
  },
  {
    protocol: 'epics-ca',
    ports: [5064],
    request: channelAccessEcho,
    responsePattern: /^\0\0\0\0[\s\S]{2}\0[\x04-\x20]\0{8}[\s\S]{0,64}\0\x17\0\0/,
    field: 'protocol.software',
    read: () => 'EPICS Channel Access',
    isBinary: true,
  },
]

/** The implementation version name (PS3.7, annex D.3.3.2). DCMTK and pynetdicom write their version without dots. */
function dicomImplementation(response: string): string {
  const [, length = '', text = ''] = /\x55\0\0([\x01-\x10])([\x20-\x7e]{1,16})/.exec(response) ?? []
  const name = text.slice(0, length.charCodeAt(0) || 0)
  const [, product = '', digits = ''] = /^(OFFIS_DCMTK|PYNETDICOM)_(\d{3})$/.exec(name) ?? []
  if (product !== '') return `${product} ${digits.replace(/(\d)(\d)(\d)/, '$1.$2.$3')}`
  return name === '' ? 'DICOM' : name
}
