/** The library: what is known of threats, and how to compare it with what was found. Pure; it knows no clock and no table. */
export { type ProductKey, productKey } from '#alias.ts'
export { readDistributionFixes } from '#feed/distribution.ts'
export { type Exploitation, readEpssLine } from '#feed/epss.ts'
export { type KnownExploited, readKev } from '#feed/kev.ts'
export { type FeedItem, parseNvd, readNvd } from '#feed/nvd.ts'
export type { Mismatch } from '#match/criterion.ts'
export type { DistributionFix, DistributionFixes } from '#match/distribution.ts'
export {
  type Knowledge,
  issueQualityMin,
  type Match,
  matchProduct,
  type MatchSubject,
  type NoMatch,
} from '#match/match.ts'
export { type Priority, type PriorityFacts, priorityOf } from '#priority.ts'
export { categoryOf, describeVector, scoreOf, severityOf } from '#severity.ts'
export { Configuration, CpeMatch, type Metric, productKeys, ThreatRecord } from '#threat.ts'
export { compareDebian } from '#version/deb.ts'
export { compareVersions, type Scheme } from '#version/version.ts'
export { compareNames, type Relation } from '#wfn-compare.ts'
export { bindUri, parseCpe } from '#wfn-uri.ts'
export {
  type Attribute,
  bindFormattedString,
  type CpeName,
  fromWfn,
  nameOf,
  parseFormattedString,
  quote,
  toWfn,
} from '#wfn.ts'
