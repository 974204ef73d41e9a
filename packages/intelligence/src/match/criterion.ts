/** Evaluates one criterion against one product. */
import { productKey } from '#alias.ts'
import { boundsOf, compareToRange, type FullVersion, formatRange } from '#match/range.ts'
import { displayWords } from '#product-name.ts'
import { type CpeMatch, parseCriteria } from '#threat.ts'
import { isPreRelease } from '#version/generic.ts'
import { compareVersions, type Scheme } from '#version/version.ts'
import { compareValue } from '#wfn-compare.ts'
import { type CpeName, unquote } from '#wfn.ts'

/** Why a product doesn't match. Only the first two prove that the version is not affected. */
export type MismatchReason =
  | 'version_outside'
  | 'fixed_by_distribution'
  | 'version_unknown'
  | 'version_incomparable'
  | 'other_variant'
  | 'other_platform'
  | 'other_product'
  | 'rejected'

/** The result for one criterion and one product. */
export type CriterionVerdict =
  /** Assumptions reduce the quality of detection: `loss` is subtracted from it, `cap` is its upper limit. */
  | { readonly kind: 'yes'; readonly range: string; readonly text: string; readonly loss: number; readonly cap: number }
  | Mismatch
/** `version`: for `version_outside`, the version of the product, as it appears in texts. */
export interface Mismatch {
  readonly kind: 'no' | 'unknown'
  readonly reason: MismatchReason
  readonly text: string
  readonly version?: string
}

/** Reductions and limits of the quality of detection, on a scale of 0 to 100. */
export const qualityLoss = { variant: 20, platform: 30, partialVersion: 30 }
export const allVersionsCap = 30
/** The range of a record that specifies no version. */
export const allVersions = 'all versions'

/** No criterion lists the product as vulnerable. */
export const notListed = 'The record does not list this product as affected.'

/** Platforms whose add-ons are separate products. A product without this target software is never such an add-on. */
const addOnHosts = new Set([
  'wordpress',
  'joomla\\!',
  'drupal',
  'jenkins',
  'chrome',
  'firefox',
  'typo3',
  'moodle',
  'mediawiki',
  'jira',
  'confluence',
  'magento',
  'prestashop',
  'phpbb',
  'wordpress_mu',
  'intellij',
  'visual_studio_code',
  'pega',
])
/** Package ecosystems: they identify the distribution channel, not a different product. */
const ecosystems = new Set(['node.js', 'python', 'go', 'rust', 'ruby', 'maven', 'java', 'php', '.net', 'pypi', 'perl'])

/**
 * Evaluates one criterion. As in CPE name matching, the criterion is the source and the product the
 * target. An attribute that the product doesn't specify is unknown rather than "any".
 */
export function evaluateCriterion(product: CpeName, match: CpeMatch): CriterionVerdict {
  const criterion = parseCriteria(match.criteria)
  const key = criterion && productKey(criterion)
  if (!criterion || !key || criterion.part !== product.part || !isSameProduct(criterion, key, product)) {
    return { kind: 'no', reason: 'other_product', text: notListed }
  }
  const variant = evaluateVariant(product, criterion)
  if (variant.kind !== 'yes') return variant
  const version = evaluateVersion(product, criterion, match, { product: key, targetSoftware: criterion.targetSoftware })
  return version.kind === 'yes' ? { ...version, loss: version.loss + variant.loss } : version
}

function isSameProduct(criterion: CpeName, key: string, product: CpeName): boolean {
  const isNamedAlike = criterion.vendor === product.vendor && criterion.product === product.product
  return isNamedAlike || key === productKey(product)
}

const sameVariant = { kind: 'yes', range: '', text: '', loss: 0, cap: 100 } as const

const variantAttributes = [
  'targetSoftware',
  'softwareEdition',
  'edition',
  'targetHardware',
  'language',
  'other',
] as const
/** The attributes that distinguish builds and editions of one version. */
export type VariantName = Pick<CpeName, (typeof variantAttributes)[number]>

/** Returns true if none of the product's variant attributes is known. */
export function isVariantUnspecified(product: VariantName): boolean {
  return variantAttributes.every((attribute) => product[attribute] === '*')
}

/** Checks whether a criterion applies to the product's variant. */
export function evaluateVariant(product: VariantName, criterion: VariantName): CriterionVerdict {
  const target = criterion.targetSoftware
  if (product.targetSoftware === '*' && addOnHosts.has(target)) {
    return variantMismatch(`The record applies to an add-on for ${displayWords(target)}.`)
  }
  let total = 0
  for (const attribute of variantAttributes) {
    const relation = compareValue(criterion[attribute], product[attribute])
    if (relation === 'disjoint')
      return variantMismatch(`The record applies only to the variant "${unquote(criterion[attribute])}".`)
    if (relation !== 'subset' || criterion[attribute] === '-') continue
    if (attribute === 'targetSoftware') total += ecosystems.has(target) ? 0 : qualityLoss.platform
    else total += qualityLoss.variant
  }
  return { ...sameVariant, loss: total }
}

function variantMismatch(text: string): CriterionVerdict {
  return { kind: 'no', reason: 'other_variant', text }
}

function evaluateVersion(product: CpeName, criterion: CpeName, match: CpeMatch, scheme: Scheme): CriterionVerdict {
  if (product.version === '*' || product.version === '-') {
    return { kind: 'unknown', reason: 'version_unknown', text: 'The product version is unknown.' }
  }
  const version = fullVersionOf(product)
  // A name that includes a version has no range.
  const bounds = criterion.version === '*' ? boundsOf(match) : []
  if (bounds.length > 0) {
    const verdict = compareToRange(version, bounds, scheme)
    const range = formatRange(bounds)
    if (verdict.kind === 'outside')
      return outside(version, `${formatVersion(version)} is outside the affected range ${range}`)
    if (verdict.kind === 'unknown')
      return incomparable(`${formatVersion(version)} cannot be compared with ${verdict.by}`)
    const text = `${formatVersion(version)} is in the affected range ${range}${verdict.isPartial ? ' (the detected version is incomplete)' : ''}`
    return evaluateUpdate(product, criterion, {
      kind: 'yes',
      range,
      text,
      loss: verdict.isPartial ? qualityLoss.partialVersion : 0,
      cap: 100,
    })
  }
  if (criterion.version === '*' || criterion.version === '-') {
    const text = `${formatVersion(version)}: the record doesn't specify affected versions`
    return evaluateUpdate(product, criterion, { kind: 'yes', range: allVersions, text, loss: 0, cap: allVersionsCap })
  }
  return evaluateExactVersion(product, criterion, version, scheme)
}

function evaluateExactVersion(
  product: CpeName,
  criterion: CpeName,
  version: FullVersion,
  scheme: Scheme,
): CriterionVerdict {
  const named = unquote(criterion.version)
  const relation = compareValue(criterion.version, product.version)
  const order = relation === 'disjoint' ? compareVersions(version.version, named, scheme) : 0
  if (order === null) return incomparable(`${formatVersion(version)} cannot be compared with ${named}`)
  const range = `= ${formatVersion({ version: named, update: plainUpdate(criterion.update) })}`
  if (order !== 0) return outside(version, notAffected(formatVersion(version)))
  return evaluateUpdate(product, criterion, {
    kind: 'yes',
    range,
    text: `${formatVersion(version)} matches the affected version ${range.slice(2)}`,
    loss: 0,
    cap: 100,
  })
}

/** Checks the update of a criterion: `-` is the release without an update, other values are that update only. */
function evaluateUpdate(product: CpeName, criterion: CpeName, verdict: CriterionVerdict): CriterionVerdict {
  if (verdict.kind !== 'yes' || criterion.update === '*') return verdict
  const wanted = normalizeUpdate(criterion.update)
  const version = normalizeUpdate(product.update)
  if (wanted === version) return verdict
  if (product.update !== '*')
    return outside(
      fullVersionOf(product),
      `Only ${wanted === '' ? 'the release without an update' : `update ${wanted}`} is affected`,
    )
  if (isPreRelease(wanted)) return outside(fullVersionOf(product), `Only the pre-release ${wanted} is affected`)
  return {
    ...verdict,
    loss: verdict.loss + qualityLoss.variant,
    text: `${verdict.text} (update ${wanted} could not be confirmed)`,
  }
}

/** The version and the update of a product, normalized for comparison. */
export function fullVersionOf({ version, update }: CpeName): FullVersion {
  return { version: unquote(version), update: normalizeUpdate(update) }
}

/** Normalizes an update: `update_202` and `update202` are equal; ANY and NA become empty. */
export function normalizeUpdate(update: string): string {
  return plainUpdate(update).replaceAll(/[_-]/g, '')
}

function plainUpdate(update: string): string {
  return /^[*-]$/.test(update) ? '' : unquote(update)
}

/** Formats a version with its update: `8.9p1`, `11.0 update3`. */
export function formatVersion({ version, update }: FullVersion): string {
  return /^p\d/.test(update) ? version + update : `${version} ${update}`.trim()
}

/** The reason if the version is outside several ranges. */
export function notAffected(version: string): string {
  return `${version} is not an affected version`
}

function outside(version: FullVersion, text: string): CriterionVerdict {
  return { kind: 'no', reason: 'version_outside', text, version: formatVersion(version) }
}

function incomparable(text: string): CriterionVerdict {
  return { kind: 'unknown', reason: 'version_incomparable', text }
}
