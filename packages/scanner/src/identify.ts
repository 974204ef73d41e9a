/** Identifies the software on a port. */
import type { Observation } from '@glacis/contract/runner'
import { reportedCertificate } from '#fingerprint/certificate.ts'
import type { Endpoint } from '#fingerprint/connection.ts'
import type { FingerprintText } from '#fingerprint/fingerprint-text.ts'
import { identifyTechnologies, type Technology } from '#fingerprint/technology.ts'
import { findActuators } from '#fingerprint/actuators.ts'
import { findCommonFolders } from '#fingerprint/common-folders.ts'
import { findVirtualHosts } from '#fingerprint/virtual-hosts.ts'
import { readWeb } from '#fingerprint/web.ts'
import type { Origin } from '#net/http-message.ts'
import { readService } from '#read-service.ts'
import { type IdentifyTools, type Reading, webTools } from '#reading.ts'
import { identification, runUnit, Stopped, type Units } from '#unit.ts'

export type Service = Extract<Observation, { kind: 'service' }>

/** Identification result of one open port. */
export interface Identification {
  readonly service: Service
  readonly technologies: readonly Technology[]
  /** The service sent data in any protocol. */
  readonly responded: boolean
  /** Maximum number of concurrent requests to a web server. Default: one. */
  readonly requestsAtOnce?: number
  /** The folder of the application that a web server's front page leads to. */
  readonly ownFolder?: string
  /** Folders of other applications below the root. */
  readonly linkedFolders?: readonly string[]
  /** Hostnames of other sites on a web server. */
  readonly virtualHosts?: readonly string[]
}

/**
 * Identifies the service on an open port, and the applications below the root of a web server.
 *
 * @throws only when the signal aborts, with its reason
 */
export async function identifyPort(endpoint: Endpoint, tools: IdentifyTools): Promise<Identification> {
  const reading = await readService(endpoint, tools)
  const { address, port } = endpoint
  const identify = (traces: readonly FingerprintText[]) => {
    const run = () => identifyTechnologies(traces, { address, port, transport: 'tcp' }, tools.fingerprints)
    return tools.units ? unlessStopped(tools.units, run) : run()
  }
  const atRoot = identify(reading.traces)
  const applications = await readApplications(endpoint, reading, atRoot, identify, tools)
  const sites = await readVirtualHosts(endpoint, reading, identify, tools)
  const known = new Set(applications.technologies.map(productOf))
  const { responded, requestsAtOnce = 1 } = reading
  return {
    service: serviceOf(endpoint, reading),
    responded,
    requestsAtOnce,
    ...applications,
    technologies: [...applications.technologies, ...sites.technologies.filter((item) => !known.has(productOf(item)))],
    virtualHosts: sites.names,
  }
}

/** A target that is a name means only that site: others at its address may belong to someone else. */
async function readVirtualHosts(
  endpoint: Endpoint,
  reading: Reading,
  identify: (traces: readonly FingerprintText[]) => readonly Technology[],
  tools: IdentifyTools,
): Promise<{ readonly names: readonly string[]; readonly technologies: readonly Technology[] }> {
  const isWholeAddress = endpoint.hostname === endpoint.address && tools.isOneFolder !== true
  if (!reading.http || !isWholeAddress) return { names: [], technologies: [] }
  const origin = { ...endpoint, tls: reading.tls }
  const names = await findVirtualHosts(origin, reading, webTools(tools))
  const found = new Map<string, Technology>()
  for (const hostname of names) {
    const page = await readWeb({ ...origin, hostname }, webTools(tools))
    for (const technology of identify(page?.traces ?? [])) found.set(productOf(technology), technology)
  }
  return { names, technologies: [...found.values()] }
}

/** Products whose front page is not an application's. */
const webServers =
  /^(?:apache:http_server|caddyserver:caddy|f5:nginx|haproxy:haproxy|lighttpd:lighttpd|openssl:openssl|php:php|debian:debian_linux|jquery:jquery|getbootstrap:bootstrap)$/
/** Folders that have a page, but no product of their own. */
const unnamedFoldersMax = 2

/**
 * Identifies applications below the root of a web server: where the root redirects to or sets cookies for, where a
 * front page with few links leads to another product, and in common folders. The first folders without a product are
 * applications, too. If the page is only an index and leads to a single one, that is the server's own.
 */
async function readApplications(
  endpoint: Endpoint,
  { http, tls, ownFolder, linkedFolders = [], hintedFolders = [], traces }: Reading,
  atRoot: readonly Technology[],
  identify: (traces: readonly FingerprintText[]) => readonly Technology[],
  tools: IdentifyTools,
): Promise<Pick<Identification, 'technologies'> & Folders> {
  if (!http) return { technologies: atRoot }
  const known = new Set(atRoot.map(productOf))
  const common = ownFolder === undefined ? await findCommonFolders({ ...endpoint, tls }, webTools(tools), known) : []
  const isIndex = [...known].every((name) => webServers.test(name))
  const suggested = isIndex ? [...linkedFolders, ...hintedFolders] : linkedFolders
  const candidates = ownFolder === undefined ? new Set([...suggested, ...common]) : [ownFolder]
  const folders: string[] = []
  const unnamed: string[] = []
  const shown = new Set<string>()
  const found = [...traces]
  for (const folder of candidates) {
    if (folder !== ownFolder && (await isMissing({ ...endpoint, tls }, folder, tools))) continue
    const page = await readWeb({ ...endpoint, tls }, webTools(tools), folder)
    if (!page) break
    if (page.status < 400) shown.add(folder)
    const isProduct = identify(page.traces).some((technology) => !known.has(productOf(technology)))
    if (!isProduct && folder !== ownFolder) {
      if (page.status === 200) unnamed.push(folder)
      continue
    }
    folders.push(folder)
    found.push(...page.traces)
  }
  const technologies = folders.length > 0 ? identify(found) : atRoot
  const applications = [...folders, ...unnamed.slice(0, unnamedFoldersMax)]
  const origin = { ...endpoint, tls }
  const actuators = await findActuators(origin, webTools(tools), technologies.map(productOf), applications)
  const all = [...new Set([...folders, ...actuators.folders, ...applications])]
  // A page without a product that is linked without a slash is more likely a login or a page about the company.
  const leads = [...linkedFolders, ...hintedFolders.filter((folder) => folders.includes(folder))]
  const own = all.filter((folder) => folder === ownFolder || (isIndex && leads.includes(folder)))
  // Below a root that doesn't exist, a single application is the server's own.
  const only =
    http.status === 404 && applications.length === 1 ? applications.filter((folder) => shown.has(folder)) : own
  const withActuators = actuators.traces.length > 0 ? identify([...found, ...actuators.traces]) : technologies
  return { technologies: withActuators, ...withOwnFolder(only.length === 1 ? only[0] : undefined, all) }
}

type Folders = Pick<Identification, 'ownFolder' | 'linkedFolders'>

function withOwnFolder(ownFolder: string | undefined, all: readonly string[]): Folders {
  const others = linkedOnly(all.filter((folder) => folder !== ownFolder))
  return ownFolder === undefined ? others : { ownFolder, ...others }
}

function linkedOnly(linkedFolders: readonly string[]): Folders {
  return linkedFolders.length > 0 ? { linkedFolders } : {}
}

/** Whether a folder that a link suggests doesn't exist. An API without a start page reports that as JSON. */
async function isMissing(origin: Origin, path: string, tools: IdentifyTools): Promise<boolean> {
  const { shared, signal } = webTools(tools)
  const response = await shared.request(origin, { method: 'GET', path }, { signal })
  if (response.kind === 'failure' || ![404, 410].includes(response.status)) return false
  return !response.headers.some(([name, value]) => name.toLowerCase() === 'content-type' && value.includes('json'))
}

function productOf({ wfn }: Technology): string {
  return `${wfn.vendor}:${wfn.product}`
}

function unlessStopped(units: Units, identify: () => readonly Technology[]): readonly Technology[] {
  try {
    return runUnit(units.of(identification), identify)
  } catch (error) {
    if (error instanceof Stopped) return []
    throw error
  }
}

function serviceOf({ address, port }: Endpoint, reading: Reading): Service {
  const { protocol, tls, banner, certificate, http } = reading
  return {
    kind: 'service',
    address,
    port,
    transport: 'tcp',
    protocol,
    tls,
    banner: banner.slice(0, 4096),
    ...(certificate ? { certificate: reportedCertificate(certificate) } : {}),
    ...(http ? { http } : {}),
  }
}
