/** Compares what a scan found on a program with what is known about it. */
import type { Observation } from '@glacis/contract/runner'
import type { Entry, Variant } from './entry.ts'

type Of<Kind> = Extract<Observation, { kind: Kind }>

export interface Evaluation {
  readonly products: number
  readonly named: number
  readonly versions: number
  readonly versionsRead: number
  readonly expected: number
  readonly proved: number
  readonly mustNots: number
  readonly mustNotsReported: number
  readonly falseProved: number
  readonly wrongNames: number
  /** Descriptions of what went wrong. */
  readonly problems: readonly string[]
}

/** Findings that are correct for nearly every web server in the catalog, and for every login on a port without TLS. */
const alwaysTrue = new Set(['security-headers-weak', 'login-form-over-http', 'basic-auth-over-http'])
/** The platform that all programs run on. */
const platform = new Set(['debian:debian_linux', 'linux:linux_kernel', 'nodejs:node.js', 'python:python'])

/**
 * @param hardened observations of the hardened variant; absent: it doesn't exist
 * @param versionOf the installed version of a product, if a scan can read it
 */
export function evaluate(
  entry: Entry,
  weak: readonly Observation[],
  hardened: readonly Observation[] | undefined,
  versionOf: (product: Entry['products'][number]) => string | undefined,
): Evaluation {
  const names = evaluateNames(entry, weak, versionOf)
  const found = new Set(findingsOf(weak).map(({ check }) => check))
  const missed = entry.weak.proves.filter((check) => !found.has(check))
  const wrong = [...wrongFindings(entry, entry.weak, weak), ...(hardened ? wrongOnHardened(entry, hardened) : [])]
  const mustNots = mustNotsOf(entry, weak, hardened)
  return {
    ...names,
    expected: entry.weak.proves.length + entry.weak.uncovered.length,
    proved: entry.weak.proves.length - missed.length,
    mustNots: mustNots.total,
    mustNotsReported: mustNots.reported.length,
    falseProved: wrong.length,
    problems: [
      ...names.problems,
      ...incompleteIn([...weak, ...(hardened ?? [])]),
      ...missed.map((check) => `not confirmed: ${check}`),
      ...entry.weak.uncovered.map((weakness) => `no check covers: ${weakness}`),
      ...wrong.map((text) => `false: ${text}`),
      ...mustNots.reported.map((text) => `must not be reported: ${text}`),
    ],
  }
}

function evaluateNames(
  { products, components }: Entry,
  observations: readonly Observation[],
  versionOf: (product: Entry['products'][number]) => string | undefined,
) {
  const technologies = observations.filter((item): item is Of<'technology'> => item.kind === 'technology')
  const nameOf = ({ wfn }: Of<'technology'>) => `${wfn.vendor}:${wfn.product}`
  const problems: string[] = []
  let named = 0
  let versions = 0
  let versionsRead = 0
  for (const product of products) {
    const same = technologies.filter((item) => nameOf(item) === product.name)
    const version = versionOf(product)
    if (version !== undefined) versions++
    if (same.length === 0) problems.push(`not identified: ${product.name}${version ? ` ${version}` : ''}`)
    else named++
    const read = same.map(({ wfn }) => fullVersion(wfn))
    if (version === undefined || same.length === 0) continue
    if (read.includes(version)) versionsRead++
    else problems.push(`version of ${product.name}: ${read.join(', ')} instead of ${version}`)
  }
  const known = new Set([...products.map(({ name }) => name), ...components, ...platform])
  const wrongNames = [...new Set(technologies.map(nameOf))].filter((name) => !known.has(name))
  problems.push(...wrongNames.map((name) => `unexpected name: ${name}`))
  return { products: products.length, named, versions, versionsRead, wrongNames: wrongNames.length, problems }
}

/** The version with its CPE update, except OpenSSH's "p1", which `versionOf` drops too. */
function fullVersion({ version, update }: Of<'technology'>['wfn']): string {
  return update === '*' || update === '-' || /^p\d+$/.test(update) ? version : `${version}${update}`
}

function findingsOf(observations: readonly Observation[]): readonly Of<'finding'>[] {
  return observations.filter((item): item is Of<'finding'> => item.kind === 'finding')
}

/** Warnings of the scan. Weaknesses that it missed may only be due to a busy machine. */
function incompleteIn(observations: readonly Observation[]): string[] {
  const warnings = observations.filter(
    (item): item is Of<'problem'> => item.kind === 'problem' && /^port \d+: stopped/.test(item.message),
  )
  return [...new Set(warnings.map(({ message }) => `scan incomplete: ${message}`))]
}

function wrongFindings({ id }: Entry, variant: Variant, observations: readonly Observation[]): string[] {
  const known = new Set([...variant.proves, ...variant.also, ...alwaysTrue])
  const wrong = findingsOf(observations).filter(({ check }) => !known.has(check))
  return wrong.map(({ check, location }) => `${check} at ${location} on ${id}`)
}

function wrongOnHardened(entry: Entry, observations: readonly Observation[]): string[] {
  if (!entry.hardened) return []
  return wrongFindings(entry, entry.hardened, observations).map((text) => `${text}, hardened`)
}

/** Findings that must not be reported: those of the weak variant on the hardened one, and wrong ones on both. */
function mustNotsOf(
  { weak, hardened, never }: Entry,
  weakObservations: readonly Observation[],
  hardenedObservations: readonly Observation[] | undefined,
): { total: number; reported: readonly string[] } {
  const remaining = new Set([...(hardened?.also ?? []), ...(hardened?.proves ?? [])])
  const fixed = hardenedObservations ? weak.proves.filter((check) => !remaining.has(check)) : []
  const onHardened = new Set(findingsOf(hardenedObservations ?? []).map(({ check }) => check))
  const threats = new Set(
    [...findingsOf(weakObservations), ...findingsOf(hardenedObservations ?? [])].map(({ threat }) => threat),
  )
  return {
    total: fixed.length + never.length,
    reported: [...fixed.filter((check) => onHardened.has(check)), ...never.filter((threat) => threats.has(threat))],
  }
}
