/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Probes for remote calls, remote code, and tunnels: the servers of language runtimes, CORBA, Thrift, and games. */
import type { Probe } from '#fingerprint/probe.ts'
import { bytes, hex, withLength } from '#wire.ts'

const software = { field: 'protocol.software', isBinary: true } as const

/** A call of the API description of Neovim (MessagePack-RPC). Other servers reject the unknown method. */
export const nvimApiInfo = Buffer.concat([hex('94 00 01 b1'), bytes('nvim_get_api_info'), hex('90')])

/** `connection-info`, the first request of every client of Swank. */
export const swankInfo = bytes('00003b(:emacs-rex (swank:connection-info) "COMMON-LISP-USER" t 1)')

/** `to_s` of the front object, without arguments or a block, as the values of Ruby's Marshal format. */
export const drubyCall = Buffer.concat(
  ['0408 30', '0408 4922 09 746f5f73 06 3a06 45 54', '0408 6900', '0408 30'].map((value) => withLength(hex(value))),
)

/** Lists the devices of an Android Debug Bridge server; `host:version` comes first to identify it. */
const adbVersion = bytes('000chost:version')

/** A call of `getName` (fb303), which takes no arguments, in Thrift's binary protocol. Other servers reject it. */
export const thriftCall = Buffer.concat([hex('80010001'), withLength('getName'), hex('00000001 00')])

/**
 * An operation that the naming service doesn't have, whose exception reveals the vendor of the ORB, and a request for the
 * location of the naming service (GIOP 1.0, CORBA 3.3 part 2, section 9.4).
 */
export const giopLocate = Buffer.concat([
  bytes('GIOP'),
  hex('0100 00 00 0000002c 00000000 00000048 01000000 0000000b'),
  bytes('NameService\0'),
  hex('00000007 676c61636973 00 00 00000000'),
  bytes('GIOP'),
  hex('0100 00 03 00000013 00000047 0000000b'),
  bytes('NameService'),
])

/** P_CONTROL_HARD_RESET_CLIENT_V2, the first packet of OpenVPN. Servers with tls-auth or tls-crypt ignore it. */
export const openVpnReset = hex('38 474c414349530001 00 00000000')

/** Web servers on the same port wait for the end of a line, which Pyro doesn't read. */
const endOfLine = bytes('\r\n\r\n')

/** CONNECT of Pyro 5 to the daemon object, which every daemon has, in JSON. */
export const pyroConnect = Buffer.concat([
  bytes('PYRO'),
  hex('01f6 01 03 0000 0000 0000002d 00000000 00000000000000000000000000000000 0000 4dc5'),
  bytes('{"handshake":"glacis","object":"Pyro.Daemon"}'),
  endOfLine,
])

/** The same for Pyro 4, whose protocol has another version and a checksum of the header. */
const pyro4Connect = Buffer.concat([
  bytes('PYRO'),
  hex('0030 0001 0000 0000 0000002d 0002 0000 0000 3549'),
  bytes('{"handshake":"glacis","object":"Pyro.Daemon"}'),
  endOfLine,
])

const minecraftStatus = Buffer.concat([hex('0c 00 2f 06'), bytes('glacis'), hex('63dd 01'), hex('01 00')])

const thriftReply = String.raw`\x80\x01\0[\x02\x03]\0\0\0\x07getName`

export const callProbes: readonly Probe[] = [
  {
    protocol: 'msgpack-rpc',
    ports: [6666],
    request: nvimApiInfo,
    responsePattern: /^\x94\x01\x01/,
    ...software,
    read: neovimVersion,
  },
  {
    protocol: 'pyro',
    ports: [9090],
    request: pyroConnect,
    responsePattern: /^PYRO\x01\xf6[\x02\x03]/,
    ...software,
    read: () => 'Pyro',
  },
  {
    protocol: 'pyro',
    ports: [9090],
    request: pyro4Connect,
    responsePattern: /^PYRO\x00\x30\x00[\x02\x03]/,
    ...software,
    read: () => 'Pyro',
    isOwnPortsOnly: true,
  },
  {
    protocol: 'swank',
    ports: [4005],
    request: swankInfo,
    responsePattern: /^[0-9a-fA-F]{6}\(:(?:return|indentation-update|reader-error)/,
    ...software,
    read: (response) => {
      const [, type = '', version = ''] =
        /:lisp-implementation \(:type "([\w .-]{1,40})"[\s\S]{0,200}?:version "(\d[\w.-]{0,40})"/.exec(response) ?? []
      return type === '' ? 'Swank' : `${type} ${version}`
    },
  },
  {
    protocol: 'druby',
    ports: [8787, 9000],
    request: drubyCall,
    responsePattern: /^\0\0\0\x03\x04\x08[TF]\0\0/,
    ...software,
    read: () => 'dRuby',
  },
  {
    protocol: 'adb',
    ports: [5037],
    request: adbVersion,
    responsePattern: /^OKAY0004[0-9a-f]{4}/,
    ...software,
    read: () => 'Android Debug Bridge',
    isOwnPortsOnly: true,
  },
  {
    protocol: 'thrift',
    ports: [9090, 9083, 10000],
    request: thriftCall,
    responsePattern: new RegExp(`^${thriftReply}`),
    ...software,
    read: () => 'Thrift',
  },
  {
    protocol: 'thrift',
    ports: [6627, 9095, 9160],
    request: withLength(thriftCall),
    responsePattern: new RegExp(String.raw`^\0\0[\s\S]{2}${thriftReply}`),
    ...software,
    read: () => 'Thrift',
  },
  {
    protocol: 'giop',
    ports: [2809, 900, 1050, 3700],
    request: giopLocate,
    responsePattern: /^GIOP\x01[\0-\x02][\s\S][\x01\x04]/,
    ...software,
    // The vendor's ID in the minor code of an exception (OMG, vendor minor codeset IDs).
    read: (response) =>
      /IDL:omg\.org\/CORBA\/\w{1,40}:1\.0\0[\s\S]{0,3}(?:AT[\s\S]{2}|[\s\S]{2}TA)/.test(response) ? 'omniORB' : 'CORBA',
  },
  {
    protocol: 'openvpn',
    ports: [1194],
    request: Buffer.concat([hex('000e'), openVpnReset]),
    responsePattern: /^\0[\x0e-\x40]\x40[\s\S]{8}[\0\x01]\0\0\0\0/,
    ...software,
    read: () => 'OpenVPN',
    isOwnPortsOnly: true,
  },
  {
    // Handshake for the status, then the request for it (Java Edition protocol).
    protocol: 'minecraft',
    ports: [25565],
    request: minecraftStatus,
    responsePattern: /^[\s\S]{1,3}\0[\s\S]{1,3}\{[\s\S]{0,8000}"version":/,
    ...software,
    read: (response) => {
      const [, version = ''] = /"version":\{[^{}]{0,100}?"name":"([^"]{1,60})"/.exec(response) ?? []
      return `Minecraft server ${version}`.trim()
    },
    isOwnPortsOnly: true,
  },
  {
    // The names of the user and the terminal (RFC 1282).
    protocol: 'rlogin',
    ports: [513],
    request: bytes('\0glacis\0glacis\0xterm/38400\0'),
    responsePattern: /^(?:\0|\x01)?[\s\S]{0,80}(?:rlogind|password:|login:|permission denied)/i,
    field: '',
    isOwnPortsOnly: true,
  },
  {
    protocol: 'vlc-rc',
    ports: [4212],
    request: bytes('help\n'),
    responsePattern: /^(?:> )?\+----\[ (?:Remote control|CLI) commands \]/,
    ...software,
    read: () => 'VLC media player',
    isOwnPortsOnly: true,
  },
  {
    // The runtime API, recognized by its response to an HTTP request.
    protocol: 'haproxy-cli',
    ports: [],
    request: bytes('show info\n'),
    responsePattern: /^Name: HAProxy\nVersion: \d/,
    field: 'haproxy.info',
    isOwnPortsOnly: true,
  },
  {
    // The control port of the load balancer pen, recognized by its response to an HTTP request.
    protocol: 'pen-control',
    ports: [],
    request: bytes('servers\n'),
    responsePattern: /^\d{1,4} addr \S{1,60} port \d{1,5} conn \d/,
    ...software,
    read: () => 'pen',
    isOwnPortsOnly: true,
  },
  {
    // The monitoring daemon mon. Its version is that of the protocol.
    protocol: 'mon',
    ports: [2583],
    request: bytes('version\nquit\n'),
    responsePattern: /^version \d{1,6}\n220 version completed\n/,
    ...software,
    read: () => 'mon',
    isOwnPortsOnly: true,
  },
  {
    // The stream of a component (XEP-0114), for a domain that no server hosts.
    protocol: 'xmpp-component',
    ports: [5347],
    request: bytes(
      `<?xml version='1.0'?><stream:stream to='glacis.invalid' xmlns='jabber:component:accept' xmlns:stream='http://etherx.jabber.org/streams'>`,
    ),
    responsePattern: /<stream:stream\b[^>]{0,1000}jabber:component:accept/,
    field: 'xmpp.stream',
    isOwnPortsOnly: true,
  },
  {
    // Asks for the devices that can be attached (OP_REQ_DEVLIST of USB/IP 1.1.1).
    protocol: 'usbip',
    ports: [3240],
    request: hex('0111 8005 00000000'),
    responsePattern: /^\x01\x11\0\x05\0\0\0[\0\x01]/,
    ...software,
    read: () => 'usbip',
    isOwnPortsOnly: true,
  },
  {
    // The cookie of a client. The server then asks for the parameters of the test.
    protocol: 'iperf3',
    ports: [5201],
    request: bytes(`${'glacis'.repeat(6)}\0`),
    responsePattern: /^(?:\x09|\xff)$/,
    ...software,
    read: () => 'iPerf3',
    isOwnPortsOnly: true,
  },
  {
    // Instruments of an observatory, described in XML.
    protocol: 'indi',
    ports: [7624],
    request: bytes('<getProperties version="1.7"/>\n'),
    responsePattern: /^\s{0,20}<def(?:Text|Number|Switch|Light|BLOB)Vector\s{1,5}device="/,
    ...software,
    read: () => 'INDI',
    isOwnPortsOnly: true,
  },
  {
    // A list of commands, among them one that ends or changes the service, or of topics that each have commands.
    protocol: 'command-console',
    ports: [],
    request: bytes('help\r\n'),
    responsePattern:
      /^(?!HTTP\/|RTSP\/|SIP\/)[\t\r\n\x20-\x7e]{0,400}\b(?:commands?|usage|help)\b[\t\r\n\x20-\x7e]{0,900}\n[ \t|*+-]{0,8}(?:quit|exit|shutdown|reload|restart|stop|reset)\b|^[> \r\n]{0,20}\*{0,3} ?Help topics:[^\r\n]{0,20}(?:\r?\n {0,8}help [a-z][^\r\n]{0,80}){3}/i,
    field: '',
    isFallback: true,
  },
  {
    // EIB_OPEN_GROUPCON of eibd's protocol, for reading only.
    protocol: 'eibd',
    ports: [6720],
    request: hex('0005 0026 00 00 ff'),
    responsePattern: /^\0\x02\0\x26$/,
    ...software,
    read: () => 'knxd',
    isOwnPortsOnly: true,
  },
]

/** The version in the API description, a map in MessagePack. */
function neovimVersion(response: string): string {
  if (!response.includes('nvim_') && !response.includes('\u00a3lua') && !response.includes('api_level'))
    return 'MessagePack-RPC'
  const partOf = (name: string) => response.charAt(response.indexOf(name) + name.length).charCodeAt(0)
  const parts = ['\u00a5major', '\u00a5minor', '\u00a5patch'].map(partOf)
  return parts.every((part) => part < 128) ? `Neovim ${parts.join('.')}` : 'Neovim'
}
