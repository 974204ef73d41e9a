/**
 * Which package versions of distributions hold which fixes: the Debian security tracker's JSON, and
 * advisories in the OSV format, in which Ubuntu, Rocky, Alma and others publish.
 */
import { z } from 'zod'
import type { Item } from '#feed/item.ts'
import { sound } from '#feed/sound.ts'

/** Source packages and the products inside, as canonical `vendor:product` keys. Others concern no scan. */
const productOf: Readonly<Record<string, string>> = {
  apache2: 'apache:http_server',
  httpd: 'apache:http_server',
  bind9: 'isc:bind',
  bind: 'isc:bind',
  cups: 'apple:cups',
  curl: 'haxx:curl',
  'cyrus-imapd': 'cyrusimap:cyrus_imap',
  dnsmasq: 'thekelleys:dnsmasq',
  dovecot: 'dovecot:dovecot',
  dropbear: 'dropbear_ssh_project:dropbear_ssh',
  elasticsearch: 'elastic:elasticsearch',
  etcd: 'etcd:etcd',
  exim4: 'exim:exim',
  exim: 'exim:exim',
  freeradius: 'freeradius:freeradius',
  git: 'git:git',
  grafana: 'grafana:grafana',
  haproxy: 'haproxy:haproxy',
  icecast2: 'icecast:icecast',
  inetutils: 'gnu:inetutils',
  influxdb: 'influxdata:influxdb',
  jetty9: 'eclipse:jetty',
  jetty12: 'eclipse:jetty',
  krb5: 'mit:kerberos_5',
  lighttpd: 'lighttpd:lighttpd',
  mariadb: 'mariadb:mariadb',
  'mariadb-10.3': 'mariadb:mariadb',
  'mariadb-10.5': 'mariadb:mariadb',
  memcached: 'memcached:memcached',
  minidlna: 'readymedia_project:readymedia',
  mosquitto: 'eclipse:mosquitto',
  'mysql-8.0': 'oracle:mysql',
  mysql: 'oracle:mysql',
  'net-snmp': 'net-snmp:net-snmp',
  nginx: 'f5:nginx',
  ngircd: 'ngircd:ngircd',
  nodejs: 'nodejs:node.js',
  ntp: 'ntp:ntp',
  openldap: 'openldap:openldap',
  opensmtpd: 'openbsd:opensmtpd',
  openssh: 'openbsd:openssh',
  openssl: 'openssl:openssl',
  openvpn: 'openvpn:openvpn',
  'php7.3': 'php:php',
  'php7.4': 'php:php',
  'php8.1': 'php:php',
  'php8.2': 'php:php',
  'php8.3': 'php:php',
  'php8.4': 'php:php',
  php: 'php:php',
  postfix: 'postfix:postfix',
  'postgresql-13': 'postgresql:postgresql',
  'postgresql-14': 'postgresql:postgresql',
  'postgresql-15': 'postgresql:postgresql',
  'postgresql-16': 'postgresql:postgresql',
  'postgresql-17': 'postgresql:postgresql',
  postgresql: 'postgresql:postgresql',
  'proftpd-dfsg': 'proftpd:proftpd',
  'pure-ftpd': 'pureftpd:pure-ftpd',
  'python-django': 'djangoproject:django',
  'rabbitmq-server': 'vmware:rabbitmq',
  redis: 'redis:redis',
  roundcube: 'roundcube:webmail',
  rsync: 'samba:rsync',
  samba: 'samba:samba',
  sendmail: 'sendmail:sendmail',
  squid: 'squid-cache:squid',
  subversion: 'apache:subversion',
  tinyproxy: 'tinyproxy_project:tinyproxy',
  tomcat9: 'apache:tomcat',
  tomcat10: 'apache:tomcat',
  tomcat11: 'apache:tomcat',
  tomcat: 'apache:tomcat',
  transmission: 'transmissionbt:transmission',
  unbound: 'nlnetlabs:unbound',
  valkey: 'lfprojects:valkey',
  varnish: 'varnish-software:varnish_cache',
  vsftpd: 'vsftpd_project:vsftpd',
  wordpress: 'wordpress:wordpress',
  zookeeper: 'apache:zookeeper',
}

const releases: Readonly<Record<string, string>> = {
  stretch: 'debian:9',
  buster: 'debian:10',
  bullseye: 'debian:11',
  bookworm: 'debian:12',
  trixie: 'debian:13',
  forky: 'debian:14',
}

const Tracked = z.object({
  releases: z.record(
    z.string(),
    z.object({ status: z.string(), fixed_version: z.string().optional() }).catch({ status: '' }),
  ),
})

/** Reads what the tracker says of one source package. */
export function* readTracked(packageName: string, value: unknown): Generator<Item> {
  const cves = z.record(z.string(), z.unknown()).safeParse(value)
  if (!cves.success) {
    yield { kind: 'skipped', id: packageName, problem: 'The entry of the package is no list of CVEs.' }
    return
  }
  const product = productOf[packageName]
  if (product === undefined) return
  for (const [id, entry] of Object.entries(cves.data)) {
    const { data } = Tracked.safeParse(entry)
    if (!/^CVE-\d{4}-\d{4,}$/.test(id) || !data) continue
    for (const [name, { status, fixed_version: fixedVersion }] of Object.entries(data.releases)) {
      const release = releases[name]
      // A fixed version of 0 means that no version of the release was ever affected.
      if (status === 'resolved' && release !== undefined && fixedVersion)
        yield { kind: 'fix', id, product, release, fixedVersion }
    }
  }
}

const Osv = z.object({
  id: z.string(),
  aliases: sound(z.string()),
  upstream: sound(z.string()),
  affected: sound(
    z.object({
      package: z.object({ ecosystem: z.string(), name: z.string() }),
      ranges: sound(z.object({ events: sound(z.object({ fixed: z.string().optional() })) })),
    }),
  ),
})

/** Reads an advisory in the OSV format (ossf.github.io/osv-schema). */
export function* readOsv(input: unknown): Generator<Item> {
  const { data, error } = Osv.safeParse(input)
  if (!data) {
    yield { kind: 'skipped', id: '', problem: z.prettifyError(error) }
    return
  }
  const ids = new Set(
    [data.id, ...data.aliases, ...data.upstream].flatMap((id) => /CVE-\d{4}-\d{4,}$/.exec(id)?.[0] ?? []),
  )
  for (const {
    package: { ecosystem, name },
    ranges,
  } of data.affected) {
    const product = productOf[name]
    const release = releaseOfEcosystem(ecosystem)
    if (product === undefined || release === null) continue
    const fixed = ranges.flatMap(({ events }) => events.flatMap((event) => event.fixed ?? []))
    for (const id of ids) for (const fixedVersion of fixed) yield { kind: 'fix', id, product, release, fixedVersion }
  }
}

/** `Debian:12`, `Ubuntu:22.04:LTS`, `Rocky Linux:9`, `AlmaLinux:9`; null for what is no distribution. */
function releaseOfEcosystem(ecosystem: string): string | null {
  const [name = '', version = ''] = ecosystem.split(':').filter((part) => part !== 'Pro')
  const key = { Debian: 'debian', Ubuntu: 'ubuntu', 'Rocky Linux': 'el', AlmaLinux: 'el', 'Red Hat': 'el' }[name]
  if (key === undefined) return null
  return key === 'el' ? `el:${/\d+/.exec(version)?.[0] ?? ''}` : `${key}:${version}`
}
