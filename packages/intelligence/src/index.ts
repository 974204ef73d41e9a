/**
 * Threat intelligence: feed readers, CPE names, version comparison, CVSS, and matching. Uses neither
 * the clock nor the database.
 */
export { type ProductKey, productKey } from '#alias.ts'
export { readDistributionFixes } from '#feed/distribution.ts'
export { cycleOf, threatOfCycle } from '#feed/lifecycle.ts'
export type { Item, Lifecycle, RecordSource, ReleaseCycle } from '#feed/item.ts'
export { type FeedItem, parseNvd, readNvd } from '#feed/nvd.ts'
export { TruncatedFile, readFeed } from '#feed/read.ts'
export { type Format, headLength, recognizeFormat } from '#feed/format.ts'
export { packFiles } from '#feed/pack.ts'
export { type PackedFile, unpack } from '#feed/unpack.ts'
export { formatVersion, type MismatchReason as Mismatch } from '#match/criterion.ts'
export type { DistributionFix, DistributionFixes } from '#match/distribution.ts'
export {
  type Knowledge,
  issueQualityMin,
  type Match,
  matchProduct,
  type MatchSubject,
  type NoMatch,
} from '#match/match.ts'
export {
  comparePackageVersions,
  containsFix,
  evaluatePackage,
  type InstalledPackage,
  packageOfProduct,
  releaseOfSystem,
} from '#match/package.ts'
export { packCriteria } from '#match/packed.ts'
export { type Prepared, prepareThreats } from '#match/threat-index.ts'
export type { Hit, PackedThreat } from '#match/batch-matcher.ts'
export { detectablePackages } from '#package-product.ts'
export { type Priority, type PriorityFacts, priorityOf } from '#priority.ts'
export { categoryOf, describeVector, scoreOf, severityOf } from '#severity.ts'
export { Applicability, Configuration, CpeMatch, type Metric, productKeys, ThreatRecord } from '#threat.ts'
export { compareApk } from '#version/apk.ts'
export { compareDebian } from '#version/deb.ts'
export { compareRpm } from '#version/rpm.ts'
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
