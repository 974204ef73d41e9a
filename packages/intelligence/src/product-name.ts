/** Display names of products, derived from their CPE names: `apache:http_server` is "Apache HTTP Server". */
import { productKey } from '#alias.ts'
import { type CpeName, unquote } from '#wfn.ts'

/** Names that can't be derived from the words of the CPE name, by canonical `vendor:product` key. */
const nameByKey: Readonly<Record<string, string>> = {
  'apple:cups': 'CUPS',
  'cyrusimap:cyrus_imap': 'Cyrus IMAP',
  'djangoproject:django': 'Django',
  'dropbear_ssh_project:dropbear_ssh': 'Dropbear SSH',
  'elastic:elasticsearch': 'Elasticsearch',
  'elastic:kibana': 'Kibana',
  'exim:exim': 'Exim',
  'f5:nginx': 'nginx',
  'getbootstrap:bootstrap': 'Bootstrap',
  'haxx:curl': 'curl',
  'influxdata:influxdb': 'InfluxDB',
  'isc:bind': 'BIND',
  'lfprojects:valkey': 'Valkey',
  'mit:kerberos_5': 'MIT Kerberos 5',
  'nlnetlabs:unbound': 'Unbound',
  'nodejs:node.js': 'Node.js',
  'openbsd:openssh': 'OpenSSH',
  'openbsd:opensmtpd': 'OpenSMTPD',
  'openjsf:express': 'Express',
  'oracle:mysql': 'MySQL',
  'progress:moveit_transfer': 'MOVEit Transfer',
  'proftpd:proftpd': 'ProFTPD',
  'pureftpd:pure-ftpd': 'Pure-FTPd',
  'readymedia_project:readymedia': 'ReadyMedia (MiniDLNA)',
  'samba:rsync': 'rsync',
  'squid-cache:squid': 'Squid',
  'thekelleys:dnsmasq': 'dnsmasq',
  'varnish-software:varnish_cache': 'Varnish Cache',
  'vercel:next.js': 'Next.js',
  'vitejs:vite': 'Vite',
  'vmware:rabbitmq': 'RabbitMQ',
  'vmware:spring_boot': 'Spring Boot',
  'vmware:spring_framework': 'Spring Framework',
  'vsftpd_project:vsftpd': 'vsftpd',
}

/** Vendors whose CPE name joins several words. */
const multiWordVendors = [
  'Aruba Networks',
  'Check Point',
  'Extreme Networks',
  'Palo Alto Networks',
  'Pulse Secure',
  'Red Hat',
  'Trend Micro',
]

/** Words that are not simply capitalized. */
const spelling: ReadonlyMap<string, string> = new Map(
  [
    'ActiveMQ AIX API ASUS ClickHouse CMS CODESYS ConnectWise CouchDB CRM D-Link DHCP DNN DNS DrayTek DVR EMC ERP ESXi',
    'F5 FactoryTalk',
    'FileZilla FortiGate FortiManager FortiOS FortiProxy FortiWeb FreeBSD FreeRADIUS FTP GitHub GitLab GlassFish GNU',
    'GoAnywhere HAProxy HP HPE HTTP HTTPS IBM ICS IIS IMAP IOS IP iPadOS iPhone IPMI IoT JDK JBoss JetBrains jQuery JRE',
    'JSON KVM LDAP lighttpd LiteSpeed macOS MariaDB MFT MikroTik MongoDB MySQL NAS NetBSD NETGEAR NetScaler ngIRCd',
    'NTP NVR NX-OS OpenBSD OpenLDAP OpenSSL OpenVPN OS PAN-OS PDF PHP phpBB phpMyAdmin phpPgAdmin PostgreSQL PowerDNS',
    'PrestaShop QNAP REST RouterOS SAP SCADA ScreenConnect SD-WAN SDK SharePoint SIP SMA SMB SMTP SNMP',
    'SolarWinds SonicOS SonicWall SQL SQLite SSH SSL SugarCRM TeamCity TeamViewer TLS TP-Link TYPO3 UI UPnP URL USB UTM',
    'vBulletin vCenter VMware VPN vSphere WatchGuard WebLogic WebSphere WordPress WSO2 XE XML XR ZTE',
  ]
    .flatMap((line) => line.split(' '))
    .concat(multiWordVendors)
    .map((name) => [name.toLowerCase().replaceAll(' ', ''), name]),
)

/** The same name objects recur in evidence and in feeds. */
const cache = new WeakMap<Pick<CpeName, 'vendor' | 'product'>, string>()

/**
 * Returns the display name of a product. Vendor and product are combined unless the product's name
 * already contains the vendor's. Cached per name object.
 */
export function displayName(name: Pick<CpeName, 'vendor' | 'product'>): string {
  const cached = cache.get(name)
  if (cached !== undefined) return cached
  const text = formatName(name)
  cache.set(name, text)
  return text
}

function formatName(name: Pick<CpeName, 'vendor' | 'product'>): string {
  const displayed = nameByKey[productKey(name) ?? '']
  if (displayed !== undefined) return displayed
  const vendor = unquote(name.vendor).replace(/_project$/, '')
  const product = displayWords(name.product)
  const isVendorNamed = unquote(name.product).replaceAll('_', ' ').includes(vendor.replaceAll('_', ' '))
  return isVendorNamed ? product : `${displayWords(vendor)} ${product}`
}

/** Formats one value of a CPE name: `serv-u` is "Serv-U". */
export function displayWords(value: string): string {
  return unquote(value).split(/[_ ]+/).map(spell).join(' ')
}

function spell(word: string): string {
  const spelled = spelling.get(word)
  if (spelled !== undefined) return spelled
  return word
    .split('-')
    .map((part) => spelling.get(part) ?? part.charAt(0).toUpperCase() + part.slice(1))
    .join('-')
}
