import type { Wfn } from '@glacis/contract/product'

/** A version split as in CPE names: OpenSSH `9.2p1` is version 9.2, update p1. */
export interface ProductVersion {
  /** `*` when unknown. */
  readonly version: string
  readonly update: string
  /** Distribution revision, such as `2+deb12u10`. */
  readonly revision?: string
}
interface Naming {
  readonly part?: string
  readonly vendor: string
  readonly product: string
  readonly targetSoftware?: string
}

/**
 * Maps software to NVD's vendor and product names, with the version in its canonical form.
 *
 * @param read the version as reported by the service; empty when there is none
 */
export function nameSoftware(naming: Naming, read: string): { readonly wfn: Wfn; readonly revision?: string } {
  const { vendor, product } = canonicalName(normalizeWord(naming.vendor), normalizeWord(naming.product))
  const { version, update, revision } = canonicalVersion(product, read)
  const wfn = wfnOf({
    part: naming.part ?? 'a',
    vendor,
    product,
    version,
    update,
    targetSoftware: naming.targetSoftware ?? '*',
  })
  return revision === undefined ? { wfn } : { wfn, revision }
}

/**
 * Parses a CPE name in either binding, `cpe:/a:vendor:product:version` or `cpe:2.3:a:…` (NISTIR
 * 7695). A version of `-` means "unknown", which is how fingerprints use it.
 *
 * @returns null when it is not a product name
 */
export function nameFromCpe(cpe: string): { readonly wfn: Wfn; readonly revision?: string } | null {
  const parts = cpe.startsWith('cpe:2.3:') ? splitFormatted(cpe.slice(8)) : splitUri(cpe)
  const [part = '', vendor = '', product = '', version = '', update = ''] = parts
  if (!/^[aoh]$/.test(part) || vendor === '' || product === '') return null
  if ([vendor, product].some((word) => word === '*' || word === '-')) return null
  const read = version === '*' || version === '-' ? '' : version
  const targetSoftware = parts[8] || '*'
  const named = nameSoftware({ part, vendor, product, targetSoftware }, read)
  if (update === '' || update === '*' || update === '-') return named
  return { ...named, wfn: wfnOf({ ...named.wfn, update: update.toLowerCase() }) }
}

function splitUri(cpe: string): string[] {
  if (!cpe.startsWith('cpe:/')) return []
  return cpe.slice(5).split(':').map(decoded)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function splitFormatted(text: string): string[] {
  return text.split(/(?<!\\):/).map((part) => part.replace(/\\(.)/g, '$1'))
}

type WfnParts = Pick<Wfn, 'part' | 'vendor' | 'product' | 'version' | 'update' | 'targetSoftware'>

function wfnOf({ part, vendor, product, version, update, targetSoftware }: WfnParts): Wfn {
  const any = { edition: '*', language: '*', softwareEdition: '*', targetHardware: '*', other: '*' }
  const attributes = { part, vendor, product, version, update, ...any, targetSoftware }
  return { ...attributes, text: formatBinding(attributes) }
}

/** Formatted string binding (NISTIR 7695, section 6.2.2). */
function formatBinding(attributes: Omit<Wfn, 'text'>): string {
  const { part, vendor, product, version, update, edition, language } = attributes
  const { softwareEdition, targetSoftware, targetHardware, other } = attributes
  const order = [
    vendor,
    product,
    version,
    update,
    edition,
    language,
    softwareEdition,
    targetSoftware,
    targetHardware,
    other,
  ]
  return `cpe:2.3:${part}:${order.map(escapeWord).join(':')}`
}

function escapeWord(word: string): string {
  if (word === '' || word === '*') return '*'
  if (word === '-') return '-'
  return word.replace(/[^a-z0-9._-]/g, (char) => `\\${char}`)
}

/** NVD names of products that banners, old CPE names, or other sources call differently. */
const aliases: Readonly<Record<string, string>> = {
  'igor_sysoev:nginx': 'f5:nginx',
  'nginx:nginx': 'f5:nginx',
  'redislabs:redis': 'redis:redis',
  'pivotal_software:redis': 'redis:redis',
  'squid:squid': 'squid-cache:squid',
  'university_of_cambridge:exim': 'exim:exim',
  'andrew_tridgell:rsync': 'samba:rsync',
  'rsync:rsync': 'samba:rsync',
  'rsync_project:rsync': 'samba:rsync',
  'banu:tinyproxy': 'tinyproxy_project:tinyproxy',
  'timo_sirainen:dovecot': 'dovecot:dovecot',
  'open-xchange:dovecot': 'dovecot:dovecot',
  'mysql:mysql': 'oracle:mysql',
  'sun:mysql': 'oracle:mysql',
  'mariadb:server': 'mariadb:mariadb',
  'apache:httpd': 'apache:http_server',
  'apache:apache': 'apache:http_server',
  'org.apache.tomcat:tomcat': 'apache:tomcat',
  'zeit:next.js': 'vercel:next.js',
  'matt_johnston:dropbear_ssh_server': 'dropbear_ssh_project:dropbear_ssh',
  'dropbear:dropbear_ssh': 'dropbear_ssh_project:dropbear_ssh',
  'vsftpd:vsftpd': 'vsftpd_project:vsftpd',
  'beasts:vsftpd': 'vsftpd_project:vsftpd',
  'redhat:vsftpd': 'vsftpd_project:vsftpd',
  'proftpd_project:proftpd': 'proftpd:proftpd',
  'barton:ngircd': 'ngircd:ngircd',
  'elasticsearch:elasticsearch': 'elastic:elasticsearch',
  'elasticsearch:kibana': 'elastic:kibana',
  'etcd-io:etcd': 'etcd:etcd',
  'coreos:etcd': 'etcd:etcd',
  'redhat:etcd': 'etcd:etcd',
  'mortbay:jetty': 'eclipse:jetty',
  'nodejs:nodejs': 'nodejs:node.js',
  'caddy:caddy': 'caddyserver:caddy',
}

function canonicalName(vendor: string, product: string): { readonly vendor: string; readonly product: string } {
  const [betterVendor, betterProduct] = aliases[`${vendor}:${product}`]?.split(':') ?? []
  return { vendor: betterVendor ?? vendor, product: betterProduct ?? product }
}

function normalizeWord(text: string): string {
  return text
    .replaceAll(/[^ -~]/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, '_')
}

/**
 * Splits a version following the product's own scheme. Versions without a rule are kept as is; text
 * without a digit, a range, or a guess counts as unknown.
 */
export function canonicalVersion(product: string, read: string): ProductVersion {
  const text = read
    .replaceAll(/[^ -~]/g, '')
    .slice(0, 100)
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, '')
  const [ciscoVersion] = /^\d{1,2}\.\d{1,2}\(\d[\w.]{0,8}\)[\w()]{0,20}/.exec(text) ?? []
  if (ciscoVersion) return { version: ciscoVersion, update: '*' }
  return split(product, withoutRemark(text))
}

/** A build in parentheses, or a placeholder that was never filled in. */
function withoutRemark(text: string): string {
  return text
    .replace(/\(.*$/s, '')
    .trimEnd()
    .replace(/-?\$\{.*$/s, '')
}

function split(product: string, text: string): ProductVersion {
  if (product === 'mariadb') return mariadb(text)
  const { upstream, revision } = withoutRevision(text)
  if (!/^\d/.test(upstream) || /[\sx]|\.\.|-.*-.*\d\.\d/.test(upstream)) return { version: '*', update: '*' }
  const parts = byProduct(product, upstream) ?? preRelease(upstream) ?? { version: upstream, update: '*' }
  return revision === undefined ? parts : { ...parts, revision }
}

/** MariaDB 10 and later prefix `5.5.5-` for compatibility with old replicas. */
function mariadb(text: string): ProductVersion {
  const [, version, rest = ''] = /^(?:5\.5\.5-)?(\d+(?:\.\d+)+)(?:-mariadb)?(.*)$/.exec(text) ?? []
  if (!version) return { version: '*', update: '*' }
  const revision = /(\d[^\s]*?(?:deb|ubuntu|el|fc)\d[^\s-]*)/.exec(rest)?.[1]
  return { version, update: '*', ...(revision ? { revision } : {}) }
}

/**
 * Splits off a distribution revision: `9.18.49-1~deb12u3-debian`, `15.18-0+deb12u1`, `1.1.20+ds`.
 */
function withoutRevision(text: string): { readonly upstream: string; readonly revision?: string } {
  const [, upstream, revision] =
    /^(\d[^-+\s]*?)(?:\+(?:dfsg|ds|repack|really|git)[^-\s]*)?(?:[-+](\S*(?:deb|ubuntu|bpo|\.el|\.fc|\.amzn|rpi|suse|-r\d)\S*))?(?:-(?:debian|ubuntu))?$/.exec(
      text,
    ) ?? []
  if (upstream === undefined || (revision === undefined && upstream === text)) return { upstream: text }
  const bare = revision?.replace(/-(debian|ubuntu)$/, '')
  return bare === undefined ? { upstream } : { upstream, revision: bare }
}

function byProduct(product: string, text: string): ProductVersion | undefined {
  const [pattern, update] = productForms[product] ?? []
  const [, version, mark] = pattern?.exec(text) ?? []
  return version && mark ? { version, update: (update ?? '') + mark } : undefined
}

const patchLevel: readonly [RegExp, string] = [/^(\d[\d.]*)p(\d+)$/, 'p']
const javaUpdate: readonly [RegExp, string] = [/^(\d+\.\d+\.\d+)_(\d+)/, 'update']
const productForms: Readonly<Record<string, readonly [RegExp, string]>> = {
  openssh: patchLevel,
  ntp: patchLevel,
  bind: [/^(\d[\d.]*)-?((?:rc|a|b|s|p)\d+)$/, ''],
  sudo: [/^(\d[\d.]*)p(\d+)$/, 'patch'],
  jre: javaUpdate,
  jdk: javaUpdate,
  openjdk: javaUpdate,
}

function preRelease(text: string): ProductVersion | undefined {
  const [, version, mark] =
    /^(\d+(?:\.\d+)*)[-.~_]?((?:alpha|beta|rc|pre|preview|dev|snapshot)[-.]?\d*|m[-.]?\d+)$/.exec(text) ?? []
  return version && mark ? { version, update: mark.replaceAll(/[-.]/g, '') } : undefined
}
