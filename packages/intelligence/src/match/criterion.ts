/** One criterion against one product. */
import { productKey } from '#alias.ts'
import { boundsOf, compareWithRange, type FullVersion, rangeInWords } from '#match/range.ts'
import { type CpeMatch, nameOfCriteria } from '#threat.ts'
import { isPreRelease } from '#version/generic.ts'
import { compareVersions, type Scheme } from '#version/version.ts'
import { compareValue } from '#wfn-compare.ts'
import { type CpeName, unquote } from '#wfn.ts'

/** Why a product is not matched. The first two say that the version was read and is not affected. */
export type Mismatch =
  | 'version_outside'
  | 'fixed_by_distribution'
  | 'version_unknown'
  | 'version_incomparable'
  | 'other_variant'
  | 'other_platform'
  | 'other_product'
  | 'rejected'

/** What one criterion says of one product. */
export type CriterionVerdict =
  /** `loss` is taken off the quality of detection and `cap` bounds it: what had to be assumed makes it less sure. */
  | { readonly kind: 'yes'; readonly range: string; readonly text: string; readonly loss: number; readonly cap: number }
  | { readonly kind: 'no' | 'unknown'; readonly reason: Mismatch; readonly text: string }

/** Losses and bounds of quality, on the scale of 0 to 100. */
export const loss = { variant: 20, platform: 30, partialVersion: 30 }
export const anyVersionCap = 30
/** The range of a record that names no version. */
export const everyVersion = 'every version'

/** Platforms whose add-ons are products of their own: nobody runs one without our seeing the platform's mark. */
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
/** Package ecosystems: they name where a product comes from, not another product. */
const ecosystems = new Set(['node.js', 'python', 'go', 'rust', 'ruby', 'maven', 'java', 'php', '.net', 'pypi', 'perl'])

/**
 * Decides one criterion. The criterion is the source of the comparison and the product its target,
 * as NVD uses names; what the product does not say is not taken for "any".
 */
export function decideCriterion(product: CpeName, match: CpeMatch): CriterionVerdict {
  const criterion = nameOfCriteria(match.criteria)
  const key = criterion && productKey(criterion)
  if (!criterion || !key || criterion.part !== product.part || !isSameProduct(criterion, key, product)) {
    return { kind: 'no', reason: 'other_product', text: 'The record is about other products.' }
  }
  const variant = decideVariant(product, criterion)
  if (variant.kind !== 'yes') return variant
  const version = decideVersion(product, criterion, match, { product: key, targetSoftware: criterion.targetSoftware })
  return version.kind === 'yes' ? { ...version, loss: version.loss + variant.loss } : version
}

function isSameProduct(criterion: CpeName, key: string, product: CpeName): boolean {
  const isNamedAlike = criterion.vendor === product.vendor && criterion.product === product.product
  return isNamedAlike || key === productKey(product)
}

const same = { kind: 'yes', range: '', text: '', loss: 0, cap: 100 } as const

const variants = ['targetSoftware', 'softwareEdition', 'edition', 'targetHardware', 'language', 'other'] as const
/** What tells builds and editions of a version apart. */
export type VariantName = Pick<CpeName, (typeof variants)[number]>

/** True where nothing of the kind is known of a product. */
export function isOpenVariant(product: VariantName): boolean {
  return variants.every((attribute) => product[attribute] === '*')
}

/** Decides whether a criterion is about the variant that a product is. */
export function decideVariant(product: VariantName, criterion: VariantName): CriterionVerdict {
  const target = criterion.targetSoftware
  if (product.targetSoftware === '*' && addOnHosts.has(target)) {
    return other(`The record is about an add-on for ${unquote(target)}.`)
  }
  let total = 0
  for (const attribute of variants) {
    const relation = compareValue(criterion[attribute], product[attribute])
    if (relation === 'disjoint') return other(`The record is about the variant "${unquote(criterion[attribute])}".`)
    if (relation !== 'subset' || criterion[attribute] === '-') continue
    if (attribute === 'targetSoftware') total += ecosystems.has(target) ? 0 : loss.platform
    else total += loss.variant
  }
  return { ...same, loss: total }
}

function other(text: string): CriterionVerdict {
  return { kind: 'no', reason: 'other_variant', text }
}

function decideVersion(product: CpeName, criterion: CpeName, match: CpeMatch, scheme: Scheme): CriterionVerdict {
  if (product.version === '*' || product.version === '-') {
    return { kind: 'unknown', reason: 'version_unknown', text: 'The version of the product is not known.' }
  }
  const seen = fullVersionOf(product)
  // A name with a version has no range; those without are few.
  const bounds = criterion.version === '*' ? boundsOf(match) : []
  if (bounds.length > 0) {
    const verdict = compareWithRange(seen, bounds, scheme)
    const range = rangeInWords(bounds)
    if (verdict.kind === 'outside') return outside(`${full(seen)} is not ${verdict.by} (affected: ${range})`)
    if (verdict.kind === 'unknown') return incomparable(`${full(seen)} cannot be compared with ${verdict.by}`)
    const text = `${full(seen)} is in ${range}${verdict.isPartial ? '; the end of the version was not seen' : ''}`
    return afterUpdate(product, criterion, {
      kind: 'yes',
      range,
      text,
      loss: verdict.isPartial ? loss.partialVersion : 0,
      cap: 100,
    })
  }
  if (criterion.version === '*' || criterion.version === '-') {
    const text = `${full(seen)}: the record names no version`
    return afterUpdate(product, criterion, { kind: 'yes', range: everyVersion, text, loss: 0, cap: anyVersionCap })
  }
  return decideExactVersion(product, criterion, seen, scheme)
}

function decideExactVersion(product: CpeName, criterion: CpeName, seen: FullVersion, scheme: Scheme): CriterionVerdict {
  const named = unquote(criterion.version)
  const relation = compareValue(criterion.version, product.version)
  const order = relation === 'disjoint' ? compareVersions(seen.version, named, scheme) : 0
  if (order === null) return incomparable(`${full(seen)} cannot be compared with ${named}`)
  const range = `= ${named}${/^[*-]$/.test(criterion.update) ? '' : ` ${unquote(criterion.update)}`}`
  if (order !== 0) return outside(`${full(seen)} is not ${named}`)
  return afterUpdate(product, criterion, {
    kind: 'yes',
    range,
    text: `${full(seen)} is ${range.slice(2)}`,
    loss: 0,
    cap: 100,
  })
}

/** The update of a criterion: `-` is the release itself, a word is that update alone. */
function afterUpdate(product: CpeName, criterion: CpeName, verdict: CriterionVerdict): CriterionVerdict {
  if (verdict.kind !== 'yes' || criterion.update === '*') return verdict
  const wanted = plainUpdate(criterion.update)
  const seen = plainUpdate(product.update)
  if (wanted === seen) return verdict
  if (product.update !== '*')
    return outside(`update ${seen || 'none'} is not ${wanted || 'the release without update'}`)
  if (isPreRelease(wanted)) return outside(`the release is not its ${wanted}`)
  return { ...verdict, loss: verdict.loss + loss.variant, text: `${verdict.text}; whether ${wanted} was not seen` }
}

/** The version and the update of a product as they are compared. */
export function fullVersionOf({ version, update }: CpeName): FullVersion {
  return { version: unquote(version), update: plainUpdate(update) }
}

/** `update_202` and `update202` are one; ANY and NA are none. */
export function plainUpdate(update: string): string {
  return /^[*-]$/.test(update) ? '' : unquote(update).replaceAll(/[_-]/g, '')
}

function full({ version, update }: FullVersion): string {
  return /^p\d/.test(update) ? version + update : `${version} ${update}`.trim()
}

function outside(text: string): CriterionVerdict {
  return { kind: 'no', reason: 'version_outside', text }
}

function incomparable(text: string): CriterionVerdict {
  return { kind: 'unknown', reason: 'version_incomparable', text }
}
