/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
import { greetings, type Banner } from '#fingerprint/greetings.ts'

/** Ports that use TLS from the first byte. */
export const tlsPorts = portSet(
  '443 465 563 636 802 853 989 990 992 993 994 995 2083 2087 2096 2376 3269 4433 4443 5061 5223 5349 5671 5986 6443 6697 ' +
    '8243 8443 8444 8834 8883 9443 10250 10443 15671',
)
/** Ports whose servers rarely send a banner. */
export const silentPorts = portSet(
  '80 81 3000 3001 4200 5000 5173 6379 8000 8008 8080 8081 8088 8888 9000 9090 9200 11211 5432 1883',
)
/** HSQLDB sends its banner after a second of silence. */
export const slowPorts = portSet('9001')
/**
 * Servers that always send a banner first, some of them late: after looking up the client's name, or to detect clients
 * that speak early, such as Postfix's postscreen after six seconds.
 */
export const greetingPorts = portSet('21 24 25 110 143 587 2525 4949')
/**
 * Printers print all data that they receive, so they get at most the query of their own protocol and an HTTP request.
 * Industrial controllers only receive the read-only request of their own protocol.
 */
export const fragilePorts = portSet('9100 9101 9102 9103 515')
const mailPorts = portSet('24 25 465 587 1025 2525')
export const untouchedPorts = portSet('102 502 802 20000 44818 47808 1911 4911 789 2404')

function portSet(ports: string): ReadonlySet<number> {
  return new Set(ports.split(' ').map(Number))
}

type Reader = (text: string, port: number) => Banner | undefined

const bannerPatterns: readonly (readonly [RegExp, Reader])[] = [
  [/^SSH-[\d.]+-([^\r\n]*)/, (text) => bannerOf('ssh', 'ssh.banner', /^SSH-[\d.]+-([^\r\n]*)/.exec(text)?.[1])],
  ...greetings,
  // Capabilities and a message ID end the greeting (RFC 2229, section 3.1).
  [
    /^220 (?:\S{1,200} dictd? |[^\r\n]{1,200} <[\w.]{0,200}> <[^<>@\s]{1,100}@[^<>\s]{1,100}>\r?\n)/,
    (text) => bannerOf('dict', 'dict.banner', text),
  ],
  [/^220 \S+ SVDRP /, (text) => bannerOf('svdrp', 'svdrp.banner', text)],
  [/^220[ -]/, ftpOrSmtp],
  [/^(421|554|450|120)[ -]/, ftpOrSmtp],
  [/^\* (OK|PREAUTH|BYE)/, (text) => bannerOf('imap', 'imap4.banner', text.replace(/^\* \w+ (\[[^\]]*\] ?)?/, ''))],
  [/^\+OK/, (text) => bannerOf('pop3', 'pop3.banner', text.replace(/^\+OK ?/, ''))],
  [
    /^(?:20[01]|400|50[23]) .*(?:nntp|news|posting|leafnode)/i,
    (text) => bannerOf('nntp', 'nntp.banner', text.slice(4)),
  ],
  [/^[\s\S]{3}\0[\x0a\xff]/, mysqlBanner],
  [/^RFB \d{3}\.\d{3}/, (text) => bannerOf('vnc', 'vnc.banner', text)],
  [/^@RSYNCD: /, (text) => bannerOf('rsync', 'rsync.banner', text)],
  [/^\( success \(/, (text) => bannerOf('svn', 'svn.banner', text)],
  [/^# munin node at /, (text) => bannerOf('munin', 'munin.banner', text)],
  [/^-DENIED Redis /, (text) => bannerOf('redis', '', text)],
  [/^\0\0\0\0\0[\s\S]\x08[\x80-\xff]*[\0-\x7f]\x12[\x05-\x20]\d/, mumbleVersion],
  [/^OK MPD \d/, (text) => bannerOf('mpd', 'mpd.banner', text)],
  [/^\{"class":"VERSION","release":"/, (text) => bannerOf('gpsd', 'gpsd.banner', text)],
  [/^(?:<\?xml[^>]*\?>\s*)?<!DOCTYPE GANGLIA_XML/, gangliaVersion],
  [
    /^\{\s*"version":"[\d.a-z-]+",\s*"listen_queue":/,
    (text) => bannerOf('uwsgi-stats', 'uwsgi.stats', text.slice(0, 200)),
  ],
  [/^Tarantool \d/, (text) => bannerOf('tarantool', 'tarantool.banner', text.split('\n', 1)[0])],
  [
    /^(?:200|107) \d+ +\n(?:-{10,}\nVarnish Cache CLI|[a-z]{32}\n)/,
    (text) => bannerOf('varnish-cli', 'varnish.cli', text),
  ],
  [/^>INFO:OpenVPN Management Interface Version/, (text) => bannerOf('openvpn-management', '', text)],
  [/^\{"service":\s?"nutcracker"/, (text) => bannerOf('twemproxy-stats', 'twemproxy.stats', text.slice(0, 400))],
  [/^NBDMAGIC/, (text) => bannerOf('nbd', '', text)],
  [
    /^(?:\d\d [A-Z]{3} \d{4} \d\d:\d\d:\d\d \w+|\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\s*$/,
    (text) => bannerOf('daytime', '', text),
  ],
  [/^ ?!"#\$%&'\(\)\*\+,-\.\/0123456789:;<=>\?/, (text) => bannerOf('chargen', '', text.slice(0, 80))],
  [/^"(?:IMPLEMENTATION|SIEVE)" "/, (text) => bannerOf('managesieve', 'sieve.banner', text)],
  [/^[\s\S]{4}\x01ActiveMQ\x00\x00/, (text) => bannerOf('openwire', 'openwire.format', wireFormat(text))],
  [/^\{"QMP": \{"version": /, (text) => bannerOf('qmp', 'qemu.qmp', machineProtocol(text))],
  [/^(?:\xff[\xfb-\xfe][\s\S]){0,8}QEMU \d[\d.]* monitor - /, (text) => bannerOf('qemu-monitor', 'qemu.monitor', text)],
  [
    /^(?:\xff[\xfb-\xfe][\s\S]){0,8}Open On-Chip Debugger\r\n/,
    (text) => bannerOf('openocd-telnet', 'openocd.telnet', text),
  ],
  [/Hello, this is (?:FRRouting|Quagga) \(version /, (text) => bannerOf('router-vty', 'router.vty', text)],
  [/^ok\r\n$/, (text, port) => (port === 782 || port === 3109 ? bannerOf('conserver', '', text) : undefined)],
  [/^HSQLDB JDBC Network Listener/, (text) => bannerOf('hsqldb', 'hsqldb.listener', text)],
  [/^200-ICECC \d/, (text) => bannerOf('icecc-scheduler', 'icecc.banner', text)],
  [/^ {3}___ {3}__ {2}__ ___[\s\S]{1,300}dubbo>$/, () => bannerOf('dubbo-qos', 'dubbo.qos', 'dubbo>')],
  // SETTINGS of HTTP/2: gRPC servers send theirs first.
  [/^\0\0[\0-\x60]\x04\0\0\0\0\0/, () => bannerOf('grpc', '')],
  [/^INFO \{/, (text) => bannerOf('nats', 'nats.info', text)],
  [/^\xff[\xfb-\xfe]/, (text) => bannerOf('telnet', 'telnet.banner', text.replaceAll(/\xff[\xfb-\xfe][\s\S]/g, ''))],
  [/^(HTTP\/\d)/, () => bannerOf('http', '', '')],
  [/^ERROR :[^\r\n]{0,200}(?:throttled|Closing Link|Too many connections)/i, (text) => bannerOf('irc', '', text)],
  [/^:\S+ (NOTICE|020|001) /, (text) => bannerOf('irc', 'irc.welcome', text)],
  [/(login|username|password) ?: ?$/i, (text) => bannerOf('telnet', 'telnet.banner', text)],
]

/** Identifies a protocol by its banner; undefined when unknown. */
export function identifyBanner(text: string, port: number): Banner | undefined {
  for (const [pattern, read] of bannerPatterns) {
    const greeting = pattern.test(text) ? read(text, port) : undefined
    if (greeting) return greeting
  }
  return undefined
}

function bannerOf(protocol: string, field: string, text = ''): Banner {
  return { protocol, field, text: text.trim() }
}

/**
 * FTP and SMTP both use code 220; the text decides, then the port. A mail server starts with its domain (RFC 5321),
 * so another greeting on a port of neither protocol is that of a file server with its own text.
 */
function ftpOrSmtp(text: string, port: number): Banner {
  const rest = text.split(/\r?\n/, 1)[0]?.replace(/^\d{3}[ -]/, '') ?? ''
  const isMail = /smtp|mail|dovecot/i.test(text) || mailPorts.has(port) || /^(?:\S{1,200}\.\S|localhost\b)/i.test(rest)
  const isFile = /ftp|filezilla|features/i.test(text) || [21, 990, 2121].includes(port)
  const isOther = text.startsWith('220') && !isMail
  if ((isFile && !/smtp/i.test(text)) || isOther) return bannerOf('ftp', 'ftp.banner', rest)
  return bannerOf('smtp', 'smtp.banner', rest)
}

/** `QEMU 7.2.22` from the greeting of the QEMU Machine Protocol. */
function machineProtocol(text: string): string {
  const parts = ['major', 'minor', 'micro'].map((name) => new RegExp(`"${name}": (\\d{1,4})`).exec(text)?.[1] ?? '0')
  return `QEMU ${parts.join('.')}`
}

/** The provider and its version in a WireFormatInfo of OpenWire. */
function wireFormat(text: string): string {
  const valueOf = (name: string) => new RegExp(`${name}\\t\0[\\s\\S]([\\x20-\\x7e]{1,60})`).exec(text)?.[1] ?? ''
  return `${valueOf('ProviderName')} ${valueOf('ProviderVersion')}`
}

/** The daemon's version, within a document of the whole cluster. */
function gangliaVersion(text: string): Banner {
  const [version = ''] = /<GANGLIA_XML VERSION="[^"]{1,40}" SOURCE="[^"]{1,40}"/.exec(text) ?? []
  return bannerOf('gmond', 'ganglia.version', version)
}

/** Mumble's version message: a packed version number, then the release name. */
function mumbleVersion(text: string): Banner {
  const [, size = '', rest = ''] = /\x12([\x05-\x20])([\s\S]*)$/.exec(text) ?? []
  return bannerOf('mumble', 'mumble.version', rest.slice(0, size.charCodeAt(0) || 0))
}

/** MySQL's first packet: protocol 10 with a version, or an error with a code of the server, 1000 to 1999. */
function mysqlBanner(text: string): Banner | undefined {
  const [, version] = /^[\s\S]{3}\0\x0a([\x20-\x7e]{3,80})\0/.exec(text) ?? []
  if (version) return bannerOf('mysql', 'mysql.banners', version)
  const [, message] = /^[\s\S]{3}\0\xff[\s\S][\x03-\x07](?:#\w{5})?([^\0-\x1f]{5,500})/.exec(text) ?? []
  return message ? bannerOf('mysql', 'mysql.error', message) : undefined
}
