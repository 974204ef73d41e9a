/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
/** Greetings of consoles, messaging libraries, and control systems. */
/** A protocol identified by its banner, and the fingerprint field to match. */
export interface Banner {
  readonly protocol: string
  readonly field: string
  /** The part of the banner that fingerprints match. */
  readonly text: string
}

type Reader = (text: string, port: number) => Banner | undefined

const software = 'protocol.software'
const secondsPerDay = 86_400

/** Salt's masters, which encrypt and authenticate the messages on their ZeroMQ sockets themselves. */
const saltPorts: ReadonlySet<number> = new Set([4505, 4506])

export const greetings: readonly (readonly [RegExp, Reader])[] = [
  // The greeting of ZMTP; version 3 sends only the signature before the peer's arrives (RFC 23/ZMTP).
  [/^\xff\0{7}[\0\x01]\x7f/, (_, port) => ({ protocol: saltPorts.has(port) ? 'salt' : 'zmtp', field: '', text: '' })],
  // VERSION of Channel Access, which most servers send first.
  [
    /^\0\0\0\0\0[\0-\x63]\0[\x04-\x20]\0{8}$/,
    () => ({ protocol: 'epics-ca', field: software, text: 'EPICS Channel Access' }),
  ],
  [/^Rsrv\d{4}QAP1/, (text) => ({ protocol: 'rserve', field: software, text: `Rserve, protocol ${text.slice(4, 8)}` })],
  // SET_BYTE_ORDER, the first message of a pvAccess server.
  [/^\xca[\x01\x02][\x41\xc1]\x02/, () => ({ protocol: 'epics-pva', field: software, text: 'EPICS pvAccess' })],
  // An error PDU, in which pmcd reports its features or that access is denied.
  [/^\0\0\0[\x10-\x20]\0\0\x70\0[\s\S]{8}/, () => ({ protocol: 'pcp', field: software, text: 'Performance Co-Pilot' })],
  [/^\d{3}[ -]\S{1,100} server \(HylaFAX/, (text) => ({ protocol: 'hylafax', field: software, text: lineOf(text) })],
  [/^VLC media player \d/, (text) => ({ protocol: 'vlc-rc', field: software, text: lineOf(text) })],
  [/^(?:GNU Guile \d|BeanShell \d)/, (text) => ({ protocol: 'console', field: software, text: lineOf(text) })],
  [/^\s{0,4}Felix Remote Shell Console:/, () => ({ protocol: 'osgi-shell', field: '', text: '' })],
  [
    /^iSCSI Target Controller version \d/,
    (text) => ({ protocol: 'istgt-control', field: software, text: lineOf(text).slice(0, 60) }),
  ],
  [/^ceph v\d/, (text) => ({ protocol: 'ceph', field: software, text: lineOf(text) })],
  // The version of the protocol of ZEO, with pickles or MessagePack.
  [/^\0\0\0[\x02-\x05][MZ]\d{1,4}$/, () => ({ protocol: 'zeo', field: software, text: 'ZEO' })],
  // The realm and the nonce for the password's digest.
  [/^BaseX:\d{5,40}\0/, () => ({ protocol: 'basex', field: software, text: 'BaseX' })],
  [/^[\s\S]{132}$/, nscaGreeting],
]

function lineOf(text: string): string {
  return text.split(/\r?\n/, 1)[0]?.slice(0, 200) ?? ''
}

/** NSCA sends 128 random bytes and its time. */
function nscaGreeting(text: string): Banner | undefined {
  const sentAt = Buffer.from(text, 'latin1').readUInt32BE(128)
  const isNow = Math.abs(sentAt - Date.now() / 1000) < secondsPerDay
  return isNow ? { protocol: 'nsca', field: software, text: 'NSCA' } : undefined
}
