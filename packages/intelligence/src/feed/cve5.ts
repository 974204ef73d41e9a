/**
 * Reads CVE records in JSON format 5: the data of the CVE Numbering Authority (CNA) and additions by
 * Authorized Data Publishers (ADP), such as CISA's CPE names and ratings.
 */
import { z } from 'zod'
import type { Item } from '#feed/item.ts'
import { describeConfigurations } from '#feed/describe.ts'
import { lenientArray } from '#feed/lenient-array.ts'
import { titleOf, toIsoUtc } from '#feed/nvd.ts'
import { describeVector, severityOf } from '#severity.ts'
import { Configuration, type CpeMatch, type Metric, type ThreatRecord } from '#threat.ts'
import { parseCpe } from '#wfn-uri.ts'
import { bindFormattedString, nameOf, quote } from '#wfn.ts'

const Cvss = z.object({ vectorString: z.string(), baseScore: z.number().min(0).max(10) })
const Version = z.object({
  version: z.string(),
  status: z.string(),
  lessThan: z.string().optional(),
  lessThanOrEqual: z.string().optional(),
  versionType: z.string().optional(),
})
const Affected = z.object({
  vendor: z.string().catch(''),
  product: z.string().catch(''),
  cpes: lenientArray(z.string()),
  versions: lenientArray(Version),
  defaultStatus: z.string().optional(),
})
const Container = z.object({
  title: z.string().optional(),
  descriptions: lenientArray(z.object({ lang: z.string(), value: z.string() })),
  affected: lenientArray(Affected),
  cpeApplicability: lenientArray(Configuration),
  metrics: lenientArray(
    z.object({
      cvssV4_0: Cvss.optional(),
      cvssV3_1: Cvss.optional(),
      cvssV3_0: Cvss.optional(),
      cvssV2_0: Cvss.optional(),
    }),
  ),
  references: lenientArray(z.object({ url: z.string() })),
  problemTypes: lenientArray(z.object({ descriptions: lenientArray(z.object({ cweId: z.string().optional() })) })),
})
type Container = z.infer<typeof Container>

const Cve5 = z.object({
  cveMetadata: z.object({
    cveId: z.string().regex(/^CVE-\d{4}-\d{4,}$/),
    state: z.string(),
    datePublished: z.string().optional(),
    dateUpdated: z.string().optional(),
  }),
  containers: z.object({ cna: Container, adp: lenientArray(Container) }),
})

/** Parses one record. */
export function parseCve5(input: unknown): Item {
  const record = Cve5.safeParse(input)
  if (!record.success) {
    const id = z.object({ cveMetadata: z.object({ cveId: z.string() }) }).safeParse(input)
    return { kind: 'skipped', id: id.data?.cveMetadata.cveId ?? '', problem: z.prettifyError(record.error) }
  }
  return { kind: 'threat', source: 'cve5', threat: toThreat(record.data) }
}

function toThreat({ cveMetadata: meta, containers: { cna, adp } }: z.infer<typeof Cve5>): ThreatRecord {
  const all = [cna, ...adp]
  const metrics = all.flatMap(metricsOf)
  const [first] = metrics.toSorted(
    (a, b) => versionPreference.indexOf(a.version) - versionPreference.indexOf(b.version),
  )
  const severity = severityOf(first?.vector ?? '', first?.score)
  const description = cna.descriptions.find(({ lang }) => lang.startsWith('en'))?.value ?? ''
  const configurations = configurationsOf(all)
  const { affected, fix } = describeConfigurations(configurations)
  return {
    id: meta.cveId,
    name: cna.title ?? titleOf(description, meta.cveId),
    summary: description,
    impact: describeVector(severity.cvss),
    affected,
    insight: '',
    severity,
    metrics,
    ...(fix !== '' && { solution: { kind: 'KIND_VENDOR_FIX' as const, description: fix } }),
    references: [{ cve: meta.cveId }, ...urlsOf(all)],
    weaknesses: weaknessesOf(all),
    configurations,
    isRejected: meta.state === 'REJECTED',
    publishTime: toIsoUtc(meta.datePublished),
    modifyTime: toIsoUtc(meta.dateUpdated),
  }
}
const versionPreference: readonly Metric['version'][] = ['3.1', '3.0', '4.0', '2.0']

function metricsOf({ metrics }: Container): Metric[] {
  return metrics.flatMap((metric) =>
    (
      [
        ['3.1', metric.cvssV3_1],
        ['3.0', metric.cvssV3_0],
        ['4.0', metric.cvssV4_0],
        ['2.0', metric.cvssV2_0],
      ] as const
    ).flatMap(([version, cvss]) =>
      cvss ? [{ version, by: 'cna' as const, vector: cvss.vectorString, score: cvss.baseScore }] : [],
    ),
  )
}

/** Uses the explicit applicability statements if there are any, else derives them from products and versions. */
function configurationsOf(all: readonly Container[]): Configuration[] {
  const stated = all.flatMap((container) => container.cpeApplicability)
  if (stated.length > 0) return stated
  const matches = all.flatMap(({ affected }) => affected.flatMap(matchesOf))
  const distinct = [...new Map(matches.map((match) => [JSON.stringify(match), match])).values()]
  if (distinct.length === 0) return []
  return [{ operator: 'OR', negate: false, nodes: [{ operator: 'OR', negate: false, cpeMatch: distinct }] }]
}

function matchesOf({ vendor, product, cpes, versions, defaultStatus }: z.infer<typeof Affected>): CpeMatch[] {
  const criteria = criteriaOf(vendor, product, cpes)
  if (criteria === null) return []
  const affected = versions.filter(({ status, versionType }) => status === 'affected' && versionType !== 'git')
  if (affected.length === 0)
    return defaultStatus === 'affected' && versions.length === 0 ? [{ vulnerable: true, criteria }] : []
  return affected.flatMap((version) => rangesOf(version).map((range) => withRange(criteria, range)))
}

/** The CPE name of the product with any version, as a formatted string; null if it is unknown. */
function criteriaOf(vendor: string, product: string, cpes: readonly string[]): string | null {
  const slug = (text: string) => quote(text.trim().toLowerCase().replaceAll(/\s+/g, '_'))
  const isNamed = ![vendor, product].some((text) => /^(?:n\/?a|unspecified|unknown|)$/i.test(text.trim()))
  const name =
    cpes.flatMap((text) => parseCpe(text) ?? [])[0] ??
    (isNamed ? nameOf({ part: 'a', vendor: slug(vendor), product: slug(product) }) : null)
  return name && bindFormattedString({ ...name, version: '*', update: '*' })
}

interface Range {
  readonly exact?: string
  readonly from?: string
  readonly after?: string
  readonly to?: string
  readonly before?: string
}

/** Parses `2.4` with `lessThan`, a single version, or an expression such as `>= 1.0, < 2.0`. */
function rangesOf({ version, lessThan, lessThanOrEqual }: z.infer<typeof Version>): Range[] {
  const start = isUnbounded(version) ? {} : { from: version.trim() }
  if (lessThan !== undefined) return [{ ...start, ...(isUnbounded(lessThan) ? {} : { before: lessThan.trim() }) }]
  if (lessThanOrEqual !== undefined)
    return [{ ...start, ...(isUnbounded(lessThanOrEqual) ? {} : { to: lessThanOrEqual.trim() }) }]
  if (!/[<>=]/.test(version))
    return isUnbounded(version) || /\s/.test(version.trim()) ? [] : [{ exact: version.trim() }]
  const range: Range = Object.fromEntries(
    version.split(',').flatMap((part) => {
      const [, sign = '', bound = ''] = /^\s*(<=?|>=?|=)\s*v?(\S+)\s*$/.exec(part) ?? []
      const member = { '<': 'before', '<=': 'to', '>': 'after', '>=': 'from', '=': 'exact' }[sign]
      return member ? [[member, bound]] : []
    }),
  )
  return Object.keys(range).length > 0 ? [range] : []
}

function isUnbounded(version: string): boolean {
  return /^(?:|0|\*|n\/?a|all|any|unspecified|unknown|-)$/i.test(version.trim())
}

function withRange(criteria: string, { exact, from, after, to, before }: Range): CpeMatch {
  if (exact !== undefined) {
    const parts = criteria.split(':')
    parts[5] = quote(exact.replace(/^v(?=\d)/i, ''))
    return { vulnerable: true, criteria: parts.join(':') }
  }
  return {
    vulnerable: true,
    criteria,
    ...(from !== undefined && { versionStartIncluding: from }),
    ...(after !== undefined && { versionStartExcluding: after }),
    ...(to !== undefined && { versionEndIncluding: to }),
    ...(before !== undefined && { versionEndExcluding: before }),
  }
}

function urlsOf(all: readonly Container[]): { url: string }[] {
  const urls = all
    .flatMap(({ references }) => references.map(({ url }) => url))
    .filter((url) => /^https?:\/\//i.test(url))
  return [...new Set(urls)].map((url) => ({ url }))
}

function weaknessesOf(all: readonly Container[]): string[] {
  const ids = all.flatMap(({ problemTypes }) =>
    problemTypes.flatMap(({ descriptions }) => descriptions.flatMap(({ cweId }) => cweId ?? [])),
  )
  return [...new Set(ids.filter((id) => /^CWE-\d+$/.test(id)))]
}
