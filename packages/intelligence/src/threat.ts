/** The common format of threat records from all feeds. */
import { Reference, Severity, SolutionKind } from '@glacis/contract/threat'
import { z } from 'zod'
import { type ProductKey, productKey } from '#alias.ts'
import { type CpeName, parseFormattedString } from '#wfn.ts'

/** A criterion of the applicability language of the NVD API 2.0: a name and, if its version is `*`, a range. */
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
/** Nodes of criteria, combined with AND or OR. */
export const Configuration = z.object({
  operator: Operator.default('OR'),
  negate: z.boolean().default(false),
  nodes: z.array(Node),
})
export type Configuration = z.infer<typeof Configuration>
export type ConfigurationNode = z.infer<typeof Node>

/** A CVSS rating, either from NVD or from another source such as the CVE Numbering Authority (CNA). */
export const Metric = z.object({
  version: z.enum(['2.0', '3.0', '3.1', '4.0']),
  by: z.enum(['nvd', 'cna']),
  vector: z.string(),
  score: z.number(),
})
export type Metric = z.infer<typeof Metric>

/**
 * The record of one CVE. Fields shared with the contract's `Threat` have the same names, so the server
 * only adds an ID. Can be stored as JSON and parsed with this schema.
 */
export const ThreatRecord = z.object({
  /** The CVE ID, which is the key of the threat. */
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
  /** CWE IDs. */
  weaknesses: z.array(z.string()),
  configurations: z.array(Configuration),
  /** Rejected by its CNA: the record matches nothing. */
  isRejected: z.boolean(),
  /** ISO 8601 in UTC; empty if the feed has no date. */
  publishTime: z.string(),
  modifyTime: z.string(),
  epss: z.object({ score: z.number(), percentile: z.number() }).optional(),
  knownExploited: z.object({ addTime: z.string() }).optional(),
})
export type ThreatRecord = z.infer<typeof ThreatRecord>

/** The part of a threat that the matcher needs. */
export const Applicability = ThreatRecord.pick({ id: true, configurations: true, isRejected: true })
export type Applicability = z.infer<typeof Applicability>

/** Most names occur many times in a feed. */
const criteriaCache = new Map<string, CpeName | null>()
const criteriaCacheMax = 30_000

/** Parses the name of a criterion; null if it is invalid. Cached. */
export function parseCriteria(criteria: string): CpeName | null {
  const cached = criteriaCache.get(criteria)
  if (cached !== undefined) return cached
  if (criteriaCache.size >= criteriaCacheMax) criteriaCache.clear()
  const name = parseFormattedString(criteria)
  criteriaCache.set(criteria, name)
  return name
}

/** Vendors of operating system distributions, which ship third-party software. */
const distributionVendors = new Set([
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

/** Returns true for a distribution. In a record about an application, it only identifies who ships the application. */
export function isDistribution(name: { readonly part: string; readonly vendor: string }): boolean {
  return name.part === 'o' && distributionVendors.has(name.vendor)
}

/**
 * The products that a threat may affect, as canonical `vendor:product` keys, for an index over the
 * inventory. Excludes distributions that merely ship the product.
 */
export function productKeys(threat: Pick<ThreatRecord, 'configurations'>): readonly ProductKey[] {
  const names = vulnerableNames(threat)
  const isOfApplication = names.some((name) => name.part === 'a')
  const keys = names.flatMap((name) => (isOfApplication && isDistribution(name) ? [] : [productKey(name)]))
  return [...new Set(keys.filter((key) => key !== null))]
}

/** The names that a threat's criteria mark as vulnerable. Invalid names are skipped. */
export function vulnerableNames(threat: Pick<ThreatRecord, 'configurations'>) {
  return threat.configurations.flatMap(({ nodes }) =>
    nodes.flatMap(({ cpeMatch }) =>
      cpeMatch.flatMap(({ vulnerable, criteria }) => {
        const name = vulnerable ? parseCriteria(criteria) : null
        return name ? [name] : []
      }),
    ),
  )
}
