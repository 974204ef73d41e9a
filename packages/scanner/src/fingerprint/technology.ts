import type { Observation } from '@glacis/contract/runner'
import type { Fingerprints, FingerprintMatch } from '#fingerprint/match.ts'
import { printable } from '#fingerprint/text.ts'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { nameFromCpe, nameSoftware } from '#fingerprint/wfn.ts'

export type Technology = Extract<Observation, { kind: 'technology' }>

/**
 * Identifies the software on a port, each product once. Evidence with a version takes precedence,
 * then higher quality.
 */
export function identifyTechnologies(
  traces: readonly FingerprintText[],
  endpoint: Pick<Technology, 'address' | 'port' | 'transport'>,
  fingerprints: Fingerprints,
): Technology[] {
  const best = new Map<string, Technology>()
  for (const { trace, hit } of hitsIn(traces, fingerprints)) {
    for (const named of productsIn(hit)) {
      const { subject, ...software } = named
      const technology: Technology = {
        kind: 'technology',
        ...endpoint,
        ...software,
        evidence: printable(hit.matched || trace.text, 1000),
        quality: qualityOf(trace, named.wfn.version !== '*', named.revision !== undefined, subject),
      }
      const key = `${technology.wfn.vendor}:${technology.wfn.product}`
      const current = best.get(key)
      if (!current || isBetter(technology, current)) best.set(key, technology)
    }
  }
  return withoutSelfDeclared([...best.values()].filter((technology) => !isVersionOfHub(technology, best)))
}

/** JupyterHub returns its version in the same form as the servers that it starts. */
function isVersionOfHub({ wfn }: Technology, all: ReadonlyMap<string, Technology>): boolean {
  const hub = wfn.vendor === 'jupyter' ? all.get('jupyter:jupyterhub') : undefined
  return hub !== undefined && wfn.product !== 'jupyterhub' && wfn.version === hub.wfn.version
}

/**
 * Drops products whose vendor is unknown (vendor and product are equal), if another product of the same name and version
 * has one.
 */
function withoutSelfDeclared(technologies: readonly Technology[]): Technology[] {
  return technologies.filter(
    ({ wfn }) =>
      wfn.vendor !== wfn.product ||
      !technologies.some(
        (other) =>
          other.wfn.vendor !== wfn.vendor &&
          other.wfn.product === wfn.product &&
          (wfn.version === '*' || other.wfn.version === wfn.version),
      ),
  )
}

/** Fields in which a server describes itself. */
const selfDescriptions: ReadonlySet<string> = new Set([
  'web.json',
  'html.application_name',
  'html_title',
  'http.path:/debug/vars',
])
/** The name that a page states with its version or repository counts unless the page names another program. */
const ownName = 'html.own_name'
const titleFields: ReadonlySet<string> = new Set(['html_title', 'html.application_name', ownName])
const programFields = /^(?:html_title|html\.(?:generator|application_name)|favicon)/
/** The OpenAPI description reveals a framework, which says nothing about the product. */
const pageFields = /^(?:http\.(?:body|path:(?!\/openapi\.json))|html[._]|favicon)/

/**
 * Matches of all traces. A last-resort match counts only if nothing else in the same header was identified. In a page's
 * description of itself, it counts only if nothing else on the page was.
 */
function hitsIn(traces: readonly FingerprintText[], fingerprints: Fingerprints) {
  const hits = traces.flatMap((trace) =>
    fingerprints
      .match(trace.field, trace.text)
      .map((hit) => ({ trace, hit, header: trace.field.replace(/\.token$/, '') })),
  )
  const certain = hits.filter(({ hit }) => !hit.isLastResort)
  const known = new Set(certain.map(({ header }) => header))
  const knownFields = new Set(certain.map(({ trace }) => trace.field))
  // A framework can answer some requests under its own name.
  const isKnown = (header: string, text: string) =>
    header.startsWith('http_header.')
      ? certain.some((other) => other.header === header && other.trace.text.includes(text))
      : known.has(header)
  const isPageKnown = [...known].some((header) => pageFields.test(header))
  const isProgramKnown = [...known].some((header) => programFields.test(header))
  const ownVersion =
    hits.find(({ header }) => header === ownName)?.hit.values['service.version'] ?? statedVersion(traces)
  const described = describedVersions(hits.map(({ hit }) => hit))
  const versionedNames = new Set(
    certain.filter(({ hit }) => hit.values['service.version']).map(({ hit }) => nameOf(hit)),
  )
  const certainNames = new Set(certain.map(({ hit }) => nameOf(hit)))
  return hits
    .filter(({ trace, hit, header }) => {
      if (!hit.isLastResort) return true
      // `Python/3.11 Acme/2.4.1`: the platform is known, and the program still has to be named.
      if (header !== trace.field && !knownFields.has(header) && isPlatformOnly(header, certain)) return true
      // The command line has the name of a file, the metrics that of the program.
      if (header === 'http.path:/debug/vars' && hits.some((other) => other.header === 'http.path:/metrics'))
        return false
      if (nameOf(hit) !== '' && versionedNames.has(nameOf(hit))) return false
      if (header === ownName)
        return !isProgramKnown && (hit.values['service.version'] || !certainNames.has(nameOf(hit)))
      return !isKnown(header, trace.text) && !(isPageKnown && selfDescriptions.has(header))
    })
    .map((found) => {
      if (!titleFields.has(found.header)) return found
      return { ...found, hit: withVersion(found.hit, ownVersion ?? described.get(nameOf(found.hit))) }
    })
}

const platforms: ReadonlySet<string> = new Set([
  'python',
  'aiohttp',
  'node.js',
  'php',
  'perl',
  'ruby',
  'jdk',
  'openssl',
])

/** Whether the known tokens of a header only name languages and libraries. */
function isPlatformOnly(header: string, hits: readonly { readonly hit: FingerprintMatch; readonly header: string }[]) {
  return hits
    .filter((known) => known.header === header)
    .every(({ hit }) => platforms.has((hit.values['service.product'] ?? '').toLowerCase()))
}

/** Versions in the server's descriptions of itself, such as an OpenAPI document, by the name next to them. */
function describedVersions(hits: readonly FingerprintMatch[]): ReadonlyMap<string, string> {
  const described = hits.filter(({ isLastResort }) => isLastResort)
  return new Map(
    described.flatMap((hit) => (hit.values['service.version'] ? [[nameOf(hit), hit.values['service.version']]] : [])),
  )
}

function nameOf({ values }: FingerprintMatch): string {
  return (values['service.product'] ?? '').toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/** The version that the server's own descriptions agree on. */
function statedVersion(traces: readonly FingerprintText[]): string | undefined {
  const versions = new Set(traces.filter(({ field }) => field === 'web.version').map(({ text }) => text))
  return versions.size === 1 ? [...versions][0] : undefined
}

/** The version that a page states next to its title belongs to the program that the title names. */
function withVersion(hit: FingerprintMatch, version: string | undefined): FingerprintMatch {
  if (version === undefined || hit.values['service.version'] || !hit.values['service.product']) return hit
  const cpe = hit.values['service.cpe23']?.replace(/:-$/, `:${version}`)
  return { ...hit, values: { ...hit.values, 'service.version': version, ...(cpe ? { 'service.cpe23': cpe } : {}) } }
}

function isBetter(one: Technology, other: Technology): boolean {
  const versions = Number(one.wfn.version !== '*') - Number(other.wfn.version !== '*')
  return versions > 0 || (versions === 0 && one.quality > other.quality)
}

/** Default names of applications in metrics and descriptions, which identify nothing. */
const genericNames =
  /^(?:api|app|application|backend|daemon|device|frontend|main|microservice|printer|process|program|project|receiver|release|revision|server|service|software|system|test|version|web)$/i
const subjects = ['service', 'service.component', 'os', 'hw'] as const
type Subject = (typeof subjects)[number]

/**
 * Products named by a Recog match: the service, its component, the operating system, and the
 * hardware.
 */
function productsIn({ values, isLastResort }: FingerprintMatch) {
  if (isLastResort && genericNames.test(values['service.product'] ?? '')) return []
  return subjects.flatMap((subject) => {
    const product = values[`${subject}.product`] ?? ''
    const vendor = values[`${subject}.vendor`] ?? ''
    const version = values[`${subject}.version`] ?? ''
    const cpe = values[`${subject}.cpe23`]
    if (cpe === undefined && (product === '' || subject === 'hw')) return []
    const part = subject === 'os' ? 'o' : 'a'
    const named =
      cpe === undefined ? nameSoftware({ part, vendor: vendor || product, product }, version) : nameFromCpe(cpe)
    if (!named) return []
    const revision = subject === 'service' ? revisionIn(values, named.revision) : named.revision
    const distribution = revision === undefined ? {} : { revision: printable(revision, 200) }
    return [
      { ...named, ...distribution, subject, name: printable(displayName(vendor, product || named.wfn.product), 200) },
    ]
  })
}

/** Distribution revision: set by our fingerprints; Recog leaves it in OpenSSH's comment. */
function revisionIn(values: FingerprintMatch['values'], fromVersion: string | undefined): string | undefined {
  const comment = values['openssh.comment'] ?? ''
  return values['service.revision'] ?? fromVersion ?? (/\d/.test(comment) ? comment : undefined)
}

/** `HTTPD` alone is ambiguous, but `nginx` by `nginx` needs no vendor prefix. */
function displayName(vendor: string, product: string): string {
  const isVague = /^(httpd|server|http server|linux|pop|smtp|imap|ftp.*|iis|web server)$/i.test(product)
  return isVague && vendor !== '' && !product.toLowerCase().includes(vendor.toLowerCase())
    ? `${vendor} ${product}`
    : product
}

/**
 * Quality of detection, on the contract's scale. Text that anyone can set (titles, icons, cookies,
 * certificates) ranks below a banner. A hidden distribution revision may already contain the fix.
 * An operating system derived from a banner is a guess.
 */
function qualityOf(trace: FingerprintText, hasVersion: boolean, hasRevision: boolean, subject: Subject): number {
  if (subject === 'os' || subject === 'hw') return 30
  if (/^(html_title|html\.(?:application_name|own_name)|favicon|http_header\.cookie|x509|http\.body)/.test(trace.field))
    return 50
  const isDistribution = /debian|ubuntu|red ?hat|centos|fedora|suse|alpine|deb\d+u\d/i.test(trace.text.slice(0, 500))
  return hasVersion && isDistribution && !hasRevision ? 40 : 80
}
