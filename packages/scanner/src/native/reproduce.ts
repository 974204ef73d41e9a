/** Commands of common clients that show what a native check found. None of them changes anything. */
import { bracketed } from '#ip.ts'
import type { HttpRequest } from '#net/http-message.ts'
import { bytes } from '#wire.ts'
import { quoted } from '#template/reproduce.ts'

interface Service {
  readonly address: string
  readonly port: number
  readonly hostname: string
  readonly protocol: string
  readonly tls: boolean
  readonly transport: 'tcp' | 'udp'
}
type Command = (service: Service) => string

const connect: Command = ({ address, port, hostname, protocol, tls }) => {
  const target = quoted(`${bracketed(address)}:${port}`)
  const upgrade = tls ? '' : ` -starttls ${openSslNames[protocol] ?? protocol}`
  return `openssl s_client -connect ${target}${upgrade} -servername ${quoted(hostname)}`
}
const openSslNames: Readonly<Record<string, string>> = { postgresql: 'postgres' }
const certificate: Command = (service) =>
  `${connect(service)} < /dev/null | openssl x509 -noout -subject -dates -text | grep -E 'subject|not|Public-Key|Signature Algorithm'`
const rpcInfo: Command = ({ address }) => `rpcinfo -p ${quoted(address)}`
const shares: Command = ({ address, port }) => `smbclient -N -p ${port} -L ${quoted(`//${address}`)}`

const commands: Readonly<Record<string, Command>> = {
  'tls-key-weak': certificate,
  'tls-signature-weak': certificate,
  'tls-certificate-untrusted': (service) =>
    `${connect(service)} < /dev/null 2>&1 | grep -E 'issuer=|Verify return code'`,
  'starttls-certificate-expired': certificate,
  'starttls-certificate-self-signed': (service) => `${connect(service)} < /dev/null 2>&1 | grep -E 'subject=|issuer='`,
  'starttls-version-weak': (service) => `${connect(service)} -tls1_1 -cipher ALL:@SECLEVEL=0 < /dev/null`,
  'dns-open-recursion': ({ address, port }) => `dig @${quoted(address)} -p ${port} . NS`,
  'dns-version-disclosed': ({ address, port }) => `dig @${quoted(address)} -p ${port} version.bind TXT CH`,
  'mysql-root-without-password': ({ address, port }) =>
    `mysql -h ${quoted(address)} -P ${port} -u root --skip-password -e 'select current_user()'`,
  'rpcbind-open': rpcInfo,
  'nfs-reachable': rpcInfo,
  'nfs-export-world': ({ address }) => `showmount -e ${quoted(address)}`,
  'smb-shares-listed': shares,
  'smb-guest-share': shares,
  'snmp-community-public': ({ address, port, transport }) =>
    `snmpget -v 2c -c public ${quoted(`${transport === 'tcp' ? 'tcp:' : ''}${address}:${port}`)} 1.3.6.1.2.1.1.1.0`,
  'ntp-variables-exposed': ({ address }) => `ntpq -c rv ${quoted(address)}`,
}

/** Headers that every request of a check has, and that change nothing. */
const usual = /^(?:host|connection|user-agent|content-length|accept-encoding)$/i

/** The HTTP request that a proof contains as text; undefined if it is something else. */
export function requestIn(text: string): HttpRequest | undefined {
  const [head = '', body = ''] = text.split(/\r?\n\r?\n/, 2)
  const [line = '', ...lines] = head.split(/\r?\n/)
  const [, method = '', path = ''] = /^([A-Z]{3,10}) (\/[^\r\n]{0,4000}) HTTP\/1\.[01]$/.exec(line) ?? []
  if (method === '') return undefined
  const fields = lines.flatMap((field) => {
    const [, name = '', value = ''] = /^([\w-]{1,60}): ?(.*)$/.exec(field) ?? []
    return name === '' || usual.test(name) || (/^accept$/i.test(name) && value === '*/*')
      ? []
      : [[name, value] as const]
  })
  return { method, path, headers: Object.fromEntries(fields), ...(body !== '' && { body: bytes(body) }) }
}

/** The command for a check; undefined for checks that no common client can repeat. */
export function nativeCommand(check: string, service: Service): string | undefined {
  return commands[check]?.(service)
}
