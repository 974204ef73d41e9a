/**
 * Records of the NVD's API 2.0 and of the yearly files made of it.
 * This product uses data from the NVD API but is not endorsed or certified by the NVD.
 */
import { SolutionKind } from '@glacis/contract/threat'
import { z } from 'zod'
import { wordsOf } from '#feed/wording.ts'
import { readRecords } from '#feed/records.ts'
import { sound } from '#feed/sound.ts'
import { describeVector, severityOf } from '#severity.ts'
import { Configuration, type Metric, ThreatRecord } from '#threat.ts'

const Cvss = z.object({
  source: z.string().optional(),
  cvssData: z.object({ vectorString: z.string(), baseScore: z.number().min(0).max(10) }),
})

/** The fields that are used; new and unknown ones are passed over. */
const NvdRecord = z.object({
  id: z.string().regex(/^CVE-\d{4}-\d{4,}$/),
  vulnStatus: z.string().optional(),
  published: z.string().optional(),
  lastModified: z.string().optional(),
  descriptions: sound(z.object({ lang: z.string(), value: z.string() })),
  metrics: z
    .object({
      cvssMetricV40: sound(Cvss).optional(),
      cvssMetricV31: sound(Cvss).optional(),
      cvssMetricV30: sound(Cvss).optional(),
      cvssMetricV2: sound(Cvss).optional(),
    })
    .catch({}),
  weaknesses: sound(z.object({ description: z.array(z.object({ value: z.string() })) })),
  configurations: sound(Configuration),
  references: sound(z.object({ url: z.string(), tags: z.array(z.string()).optional() })),
  cisaExploitAdd: z.iso.date().optional().catch(undefined),
  cisaVulnerabilityName: z.string().optional(),
  /** Our own packs say in words of their own what the threat is. */
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

/** What came of one record of a feed: the threat, or why there is none. */
export type FeedItem =
  | { readonly kind: 'threat'; readonly threat: ThreatRecord }
  | { readonly kind: 'skipped'; readonly id: string; readonly problem: string }

/**
 * Reads a whole feed: the API's answer `{"vulnerabilities":[{"cve":{…}}]}`, a file of that shape,
 * or one record per line, with or without `{"cve":…}` around it. A bad record is reported and
 * never ends the reading.
 */
export async function* readNvd(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<FeedItem> {
  for await (const record of readRecords(chunks, 'vulnerabilities')) yield parseNvd(record)
}

const Wrapped = z.object({ cve: z.unknown() })
const Named = z.object({ id: z.string() })

/** Reads one record, bare or inside `{"cve":…}`. */
export function parseNvd(input: unknown): FeedItem {
  const bare = Wrapped.safeParse(input).data?.cve ?? input
  const record = NvdRecord.safeParse(bare)
  if (record.success) return { kind: 'threat', threat: toThreat(record.data) }
  const id = Named.safeParse(bare)
  return { kind: 'skipped', id: id.data?.id ?? '', problem: z.prettifyError(record.error) }
}

function toThreat(record: NvdRecord): ThreatRecord {
  const own = record.glacis
  const metrics = metricsOf(record)
  const severity = leading(metrics)
  const description = record.descriptions.find(({ lang }) => lang.startsWith('en'))?.value ?? ''
  const { affected, fix } = wordsOf(record.configurations)
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
    references: [{ cve: record.id }, ...webAddresses(record)],
    weaknesses: weaknessesOf(record),
    configurations: record.configurations,
    isRejected: record.vulnStatus === 'Rejected' || /^\*\* ?REJECT|^Rejected reason:/i.test(description),
    publishTime: utc(record.published),
    modifyTime: utc(record.lastModified),
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

/** NVD's word before the authority's; 3.1, then 3.0, then 4.0, then 2.0: most records are compared by 3.x. */
function leading(metrics: readonly Metric[]) {
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

function webAddresses({ references }: NvdRecord): { url: string }[] {
  const urls = references.map(({ url }) => url).filter((url) => /^https?:\/\//i.test(url))
  return [...new Set(urls)].map((url) => ({ url }))
}

/** The upper ends of the ranges tell which release has the fix; else a patch or advisory may exist. */
function solutionOf({ references }: NvdRecord, fix: string): ThreatRecord['solution'] {
  if (fix !== '') return { kind: 'KIND_VENDOR_FIX', description: fix }
  const tags = new Set(references.flatMap((reference) => reference.tags ?? []))
  if (tags.has('Patch') || tags.has('Vendor Advisory')) {
    return {
      kind: 'KIND_VENDOR_FIX',
      description: 'The vendor has published an advisory or a patch; see the references.',
    }
  }
  if (tags.has('Mitigation'))
    return { kind: 'KIND_MITIGATION', description: 'A mitigation is described in the references.' }
  return undefined
}

const titleLengthMax = 110

/** Most feeds give no titles: the first sentence, cut at a word. */
export function titleOf(description: string, id: string): string {
  const [sentence = ''] = description
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(/(?<=[a-z)\]"])\. (?=[A-Z])/)
  const title = sentence.replace(/\.$/, '')
  if (title === '') return id
  if (title.length <= titleLengthMax) return title
  return `${title.slice(0, titleLengthMax).replace(/\s+\S*$/, '')}…`
}

/** A time as ISO 8601 in UTC, empty where there is none. Feeds mean UTC and mostly say so by omission. */
export function utc(time: string | undefined): string {
  const date = new Date(time === undefined || /[zZ]|[+-]\d\d:?\d\d$/.test(time) ? (time ?? '') : `${time}Z`)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
