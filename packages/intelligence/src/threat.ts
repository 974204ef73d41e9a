/** A threat as the library knows it: what a feed says, in one shape. */
import { Reference, Severity, SolutionKind } from '@glacis/contract/threat'
import { z } from 'zod'
import { type ProductKey, productKey } from '#alias.ts'
import { type CpeName, parseFormattedString } from '#wfn.ts'

/** One criterion of the applicability language of NVD's API 2.0: a name and, where it is `*`, a range. */
export const CpeMatch = z.object({
  vulnerable: z.boolean(),
  criteria: z.string(),
  versionStartIncluding: z.string().optional(),
  versionStartExcluding: z.string().optional(),
  versionEndIncluding: z.string().optional(),
  versionEndExcluding: z.string().optional(),
})
export type CpeMatch = z.infer<typeof CpeMatch>

const Operator = z.enum(['AND', 'OR'])
const Node = z.object({
  operator: Operator.default('OR'),
  negate: z.boolean().default(false),
  cpeMatch: z.array(CpeMatch).default([]),
})
/** Nodes of criteria, combined by AND or OR. */
export const Configuration = z.object({
  operator: Operator.default('OR'),
  negate: z.boolean().default(false),
  nodes: z.array(Node),
})
export type Configuration = z.infer<typeof Configuration>
export type ConfigurationNode = z.infer<typeof Node>

/** A rating somebody gave. NVD's own word is kept apart from that of the numbering authority (CNA). */
export const Metric = z.object({
  version: z.enum(['2.0', '3.0', '3.1', '4.0']),
  by: z.enum(['nvd', 'cna']),
  vector: z.string(),
  score: z.number(),
})
export type Metric = z.infer<typeof Metric>

/**
 * What is known of one CVE. The members of the contract's `Threat` stand under their names, so a
 * server adds an id and has one. Safe to store as JSON and to read back with this schema.
 */
export const ThreatRecord = z.object({
  /** The CVE id; it is the key of the threat. */
  id: z.string(),
  name: z.string(),
  summary: z.string(),
  impact: z.string(),
  affected: z.string(),
  insight: z.string(),
  severity: Severity,
  metrics: z.array(Metric),
  solution: z.object({ kind: SolutionKind, description: z.string() }).optional(),
  references: z.array(Reference),
  /** CWE ids. */
  weaknesses: z.array(z.string()),
  configurations: z.array(Configuration),
  /** Withdrawn by its authority: it matches nothing. */
  isRejected: z.boolean(),
  /** Some feeds leave dates out; then they are empty. ISO 8601 in UTC. */
  publishTime: z.string(),
  modifyTime: z.string(),
  epss: z.object({ score: z.number(), percentile: z.number() }).optional(),
  knownExploited: z.object({ addTime: z.string() }).optional(),
})
export type ThreatRecord = z.infer<typeof ThreatRecord>

/** As much of a threat as decides whether it applies: what a store keeps for the matcher. */
export const Applicability = ThreatRecord.pick({ id: true, configurations: true, isRejected: true })
export type Applicability = z.infer<typeof Applicability>

/** Feeds repeat themselves: within one reading most names come again and again. */
const parsed = new Map<string, CpeName | null>()
const parsedMax = 30_000

/** The name of a criterion; null when it is not one. Remembers what it read. */
export function nameOfCriteria(criteria: string): CpeName | null {
  const known = parsed.get(criteria)
  if (known !== undefined) return known
  if (parsed.size >= parsedMax) parsed.clear()
  const name = parseFormattedString(criteria)
  parsed.set(criteria, name)
  return name
}

/** Vendors whose operating systems ship other people's software. */
const distributors = new Set([
  'debian',
  'canonical',
  'redhat',
  'fedoraproject',
  'opensuse',
  'suse',
  'novell',
  'centos',
  'gentoo',
  'alpinelinux',
  'almalinux',
  'rocky',
  'amazon',
  'mandriva',
  'mandrakesoft',
  'slackware',
  'archlinux',
  'freebsd',
  'netbsd',
])

/** True for the name of a distribution, which in a record about an application only says who ships it. */
export function isDistribution(name: { readonly part: string; readonly vendor: string }): boolean {
  return name.part === 'o' && distributors.has(name.vendor)
}

/**
 * The products that a threat may touch, as canonical `vendor:product` keys, for an index over the
 * inventory. A distribution that merely ships the product is left out.
 */
export function productKeys(threat: Pick<ThreatRecord, 'configurations'>): readonly ProductKey[] {
  const names = vulnerableNames(threat)
  const isOfApplication = names.some((name) => name.part === 'a')
  const keys = names.flatMap((name) => (isOfApplication && isDistribution(name) ? [] : [productKey(name)]))
  return [...new Set(keys.filter((key) => key !== null))]
}

/** The names that stand as vulnerable in a threat's criteria; those that cannot be read are passed over. */
export function vulnerableNames(threat: Pick<ThreatRecord, 'configurations'>) {
  return threat.configurations.flatMap(({ nodes }) =>
    nodes.flatMap(({ cpeMatch }) =>
      cpeMatch.flatMap(({ vulnerable, criteria }) => {
        const name = vulnerable ? nameOfCriteria(criteria) : null
        return name ? [name] : []
      }),
    ),
  )
}
