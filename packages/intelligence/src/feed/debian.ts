/**
 * Which package versions of distributions hold which fixes: the Debian security tracker's JSON, and
 * advisories in the OSV format, in which Ubuntu, Rocky, Alma and others publish.
 */
import { z } from 'zod'
import type { Item } from '#feed/item.ts'
import { sound } from '#feed/sound.ts'
import { noBuild } from '#match/distribution.ts'
import { compareDebian } from '#version/deb.ts'
import { compareRpm } from '#version/rpm.ts'

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
  duke: 'debian:15',
}

const Tracked = z.object({
  releases: z.record(
    z.string(),
    z
      .object({ status: z.string(), fixed_version: z.string().optional(), urgency: z.string().default('') })
      .catch({ status: '', urgency: '' }),
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
    if (!/^CVE-\d{4}-\d{4,}$/.test(id)) continue
    const { data } = Tracked.safeParse(entry)
    if (!data) {
      yield { kind: 'skipped', id, problem: 'The entry of the CVE names no releases.' }
      continue
    }
    for (const [name, said] of Object.entries(data.releases)) {
      const release = releases[name]
      if (release !== undefined)
        yield { kind: 'fix', id, product, release, fixedVersion: fixedVersionOf(said), origin: packageName }
    }
  }
}

/**
 * What a release holds. `resolved` names the version, `0` where none was ever affected. `open` holds
 * for every build, an advisory being planned or not (`nodsa`), unless the maintainers see no weakness
 * in it (`unimportant`) or no longer look (`end-of-life`). `undetermined` says nothing.
 */
function fixedVersionOf({ status, fixed_version: fixedVersion, urgency }: z.infer<typeof Tracked>['releases'][string]) {
  if (status === 'resolved') return fixedVersion || null
  return status === 'open' && !/^(?:unimportant|end-of-life)$/.test(urgency) ? noBuild : null
}

const Osv = z.object({
  id: z.string(),
  withdrawn: z.string().optional(),
  aliases: sound(z.string()),
  upstream: sound(z.string()),
  affected: sound(
    z.object({
      package: z.object({ ecosystem: z.string(), name: z.string() }),
      ranges: sound(
        z.object({
          type: z.string(),
          events: sound(
            z.object({
              introduced: z.string().optional(),
              fixed: z.string().optional(),
              last_affected: z.string().optional(),
            }),
          ),
        }),
      ),
    }),
  ),
})
type OsvRange = z.infer<typeof Osv>['affected'][number]['ranges'][number]

/** Reads an advisory in the OSV format (ossf.github.io/osv-schema). One that was withdrawn takes back what it said. */
export function* readOsv(input: unknown): Generator<Item> {
  const { data, error } = Osv.safeParse(input)
  if (!data) {
    yield { kind: 'skipped', id: '', problem: z.prettifyError(error) }
    return
  }
  const ids = new Set(
    [data.id, ...data.aliases, ...data.upstream].flatMap((id) => /CVE-\d{4}-\d{4,}$/.exec(id)?.[0] ?? []),
  )
  const said = new Map<string, { product: string; release: string; fixedVersions: (string | null)[] }>()
  for (const { package: named, ranges } of data.affected) {
    const product = productOf[named.name]
    const release = releaseOfEcosystem(named.ecosystem)
    if (product === undefined || release === null) continue
    const one = said.get(`${product} ${release}`) ?? { product, release, fixedVersions: [] }
    one.fixedVersions.push(...ranges.flatMap((range) => (range.type === 'ECOSYSTEM' ? [endOf(range)] : [])))
    said.set(`${product} ${release}`, one)
  }
  for (const { product, release, fixedVersions } of said.values()) {
    const fixedVersion = data.withdrawn ? null : lastOf(release, fixedVersions)
    for (const id of ids) yield { kind: 'fix', id, product, release, fixedVersion, origin: data.id }
  }
}

/**
 * The version with which the last span of a range ends; `noBuild` where it does not, null where it
 * ends with the last affected version, after which the next one is not known. Commits (`GIT`) are no
 * versions, and lists of versions only repeat the affected ones.
 */
function endOf({ events }: OsvRange): string | null {
  const begun = events.filter(({ introduced }) => introduced !== undefined).length
  const ended = events.filter((event) => event.fixed !== undefined || event.last_affected !== undefined)
  if (ended.length < begun) return noBuild
  return ended.every(({ fixed }) => fixed !== undefined) ? (ended.at(-1)?.fixed ?? null) : null
}

/** Of several spans the last end, after which nothing is affected. */
function lastOf(release: string, ends: readonly (string | null)[]): string | null {
  const compare = release.startsWith('el:') ? compareRpm : compareDebian
  return ends.reduce<string | null>((last, end, index) => {
    if (index === 0 || last === null || end === null) return index === 0 ? end : null
    if (last === noBuild || end === noBuild) return noBuild
    return compare(end, last) > 0 ? end : last
  }, null)
}

/** `Debian:12`, `Ubuntu:22.04:LTS`, `Rocky Linux:9`, `Red Hat:enterprise_linux:9::appstream`; null for what is no distribution. */
function releaseOfEcosystem(ecosystem: string): string | null {
  const [name = '', ...rest] = ecosystem.split(':').filter((part) => part !== 'Pro')
  const key = { Debian: 'debian', Ubuntu: 'ubuntu', 'Rocky Linux': 'el', AlmaLinux: 'el', 'Red Hat': 'el' }[name]
  const version = (key === 'el' ? /\d+/ : /\d+(?:\.\d+)*/).exec(rest.join(':'))?.[0]
  return key === undefined || version === undefined ? null : `${key}:${version}`
}
