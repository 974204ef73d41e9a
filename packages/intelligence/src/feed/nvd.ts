/**
 * Reads records of the NVD API 2.0 and of its yearly data files.
 * This product uses data from the NVD API but is not endorsed or certified by the NVD.
 */
import { SolutionKind } from '@glacis/contract/threat'
import { z } from 'zod'
import { describeConfigurations } from '#feed/describe.ts'
import { readRecords } from '#feed/records.ts'
import { lenientArray } from '#feed/lenient-array.ts'
import { describeVector, severityOf } from '#severity.ts'
import { Configuration, type Metric, ThreatRecord } from '#threat.ts'

const Cvss = z.object({
  source: z.string().optional(),
  cvssData: z.object({ vectorString: z.string(), baseScore: z.number().min(0).max(10) }),
})

/** The fields that are used; others are ignored. */
const NvdRecord = z.object({
  id: z.string().regex(/^CVE-\d{4}-\d{4,}$/),
  vulnStatus: z.string().optional(),
  published: z.string().optional(),
  lastModified: z.string().optional(),
  descriptions: lenientArray(z.object({ lang: z.string(), value: z.string() })),
  metrics: z
    .object({
      cvssMetricV40: lenientArray(Cvss).optional(),
      cvssMetricV31: lenientArray(Cvss).optional(),
      cvssMetricV30: lenientArray(Cvss).optional(),
      cvssMetricV2: lenientArray(Cvss).optional(),
    })
    .catch({}),
  weaknesses: lenientArray(z.object({ description: z.array(z.object({ value: z.string() })) })),
  configurations: lenientArray(Configuration),
  references: lenientArray(z.object({ url: z.string(), tags: z.array(z.string()).optional() })),
  cisaExploitAdd: z.iso.date().optional().catch(undefined),
  cisaVulnerabilityName: z.string().optional(),
  /** Texts of our own packs, which take precedence over generated ones. */
  glacis: z
    .object({
      name: z.string().optional(),
      summary: z.string().optional(),
      impact: z.string().optional(),
      insight: z.string().optional(),
      solution: z.object({ kind: SolutionKind, description: z.string() }).optional(),
    })
    .optional(),
})
type NvdRecord = z.infer<typeof NvdRecord>

/** The result for one record of a feed: a threat, or why the record was skipped. */
export type FeedItem =
  | { readonly kind: 'threat'; readonly threat: ThreatRecord }
  | { readonly kind: 'skipped'; readonly id: string; readonly problem: string }

/**
 * Reads a feed: an API response `{"vulnerabilities":[{"cve":{…}}]}`, a file in that format, or one
 * record per line, with or without `{"cve":…}` around it. Invalid records are reported as skipped.
 */
export async function* readNvd(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<FeedItem> {
  for await (const record of readRecords(chunks, 'vulnerabilities')) yield parseNvd(record)
}

const Wrapped = z.object({ cve: z.unknown() })
const WithId = z.object({ id: z.string() })

/** Parses one record, with or without `{"cve":…}` around it. */
export function parseNvd(input: unknown): FeedItem {
  const bare = Wrapped.safeParse(input).data?.cve ?? input
  const record = NvdRecord.safeParse(bare)
  if (record.success) return { kind: 'threat', threat: toThreat(record.data) }
  const id = WithId.safeParse(bare)
  return { kind: 'skipped', id: id.data?.id ?? '', problem: z.prettifyError(record.error) }
}

function toThreat(record: NvdRecord): ThreatRecord {
  const own = record.glacis
  const metrics = metricsOf(record)
  const severity = leadingSeverity(metrics)
  const description = record.descriptions.find(({ lang }) => lang.startsWith('en'))?.value ?? ''
  const { affected, fix } = describeConfigurations(record.configurations)
  const solution = own?.solution ?? solutionOf(record, fix)
  return {
    id: record.id,
    name: own?.name ?? (record.cisaVulnerabilityName || titleOf(description, record.id)),
    summary: own?.summary ?? description,
    impact: own?.impact ?? describeVector(severity.cvss),
    affected,
    insight: own?.insight ?? '',
    severity,
    metrics,
    ...(solution && { solution }),
    references: [{ cve: record.id }, ...urlsOf(record)],
    weaknesses: weaknessesOf(record),
    configurations: record.configurations,
    isRejected: record.vulnStatus === 'Rejected' || /^\*\* ?REJECT|^Rejected reason:/i.test(description),
    publishTime: toIsoUtc(record.published),
    modifyTime: toIsoUtc(record.lastModified),
    ...(record.cisaExploitAdd && { knownExploited: { addTime: `${record.cisaExploitAdd}T00:00:00.000Z` } }),
  }
}

function metricsOf({ metrics }: NvdRecord): Metric[] {
  const lists = [
    ['3.1', metrics.cvssMetricV31],
    ['3.0', metrics.cvssMetricV30],
    ['4.0', metrics.cvssMetricV40],
    ['2.0', metrics.cvssMetricV2],
  ] as const
  const all = lists.flatMap(([version, list = []]) =>
    list.map(({ source, cvssData }) => ({
      version,
      by: source === 'nvd@nist.gov' ? ('nvd' as const) : ('cna' as const),
      vector: cvssData.vectorString,
      score: cvssData.baseScore,
    })),
  )
  return all
}

/** Prefers CVSS 3.1, then 3.0, 4.0, and 2.0, because most records have 3.x; within a version, NVD over CNA. */
function leadingSeverity(metrics: readonly Metric[]) {
  const [first] = metrics.toSorted(
    (a, b) =>
      versionOrder.indexOf(a.version) - versionOrder.indexOf(b.version) ||
      Number(a.by === 'cna') - Number(b.by === 'cna'),
  )
  return severityOf(first?.vector ?? '', first?.score)
}
const versionOrder: readonly Metric['version'][] = ['3.1', '3.0', '4.0', '2.0']

function weaknessesOf({ weaknesses }: NvdRecord): string[] {
  const ids = weaknesses.flatMap(({ description }) => description.map(({ value }) => value))
  return [...new Set(ids.filter((id) => /^CWE-\d+$/.test(id)))]
}

function urlsOf({ references }: NvdRecord): { url: string }[] {
  const urls = references.map(({ url }) => url).filter((url) => /^https?:\/\//i.test(url))
  return [...new Set(urls)].map((url) => ({ url }))
}

/** Uses the fixed versions derived from the ranges, else the tags of the references. */
function solutionOf({ references }: NvdRecord, fix: string): ThreatRecord['solution'] {
  if (fix !== '') return { kind: 'KIND_VENDOR_FIX', description: fix }
  const tags = new Set(references.flatMap((reference) => reference.tags ?? []))
  if (tags.has('Patch') || tags.has('Vendor Advisory')) {
    return {
      kind: 'KIND_VENDOR_FIX',
      description: 'The vendor has published an advisory or a patch. See the references.',
    }
  }
  if (tags.has('Mitigation')) return { kind: 'KIND_MITIGATION', description: 'See the references for mitigations.' }
  return undefined
}

const titleLengthMax = 110

/** Most feeds have no titles, so the title is the first sentence, truncated at a word. */
export function titleOf(description: string, id: string): string {
  const [sentence = ''] = description
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(/(?<=[a-z)\]"])\. (?=[A-Z])/)
  const title = sentence.replace(/\.$/, '')
  if (title === '') return id
  if (title.length <= titleLengthMax) return title
  return `${title.slice(0, titleLengthMax).replace(/ [^ ]*$/, '')}…`
}

/** Converts a time to ISO 8601 in UTC; empty if there is none. Times without a time zone are UTC. */
export function toIsoUtc(time: string | undefined): string {
  const date = new Date(time === undefined || /[zZ]|[+-]\d\d:?\d\d$/.test(time) ? (time ?? '') : `${time}Z`)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
