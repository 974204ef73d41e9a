/**
 * A criterion decided without words. Whether the version of a product is within its bounds was told
 * when it was found; what else it says is compared here, as `decideCriterion` does.
 */
import type { ProductKey } from '#alias.ts'
import { anyVersionCap, decideVariant, loss, plainUpdate, type VariantName } from '#match/criterion.ts'
import { criterionOf, type PackedCriterion } from '#match/packed.ts'
import type { Listed } from '#match/version-index.ts'
import { isPreRelease } from '#version/generic.ts'
import { compareVersions } from '#version/version.ts'
import { compareValue } from '#wfn-compare.ts'
import { type CpeName, parseFormattedString, splitUnquoted, unquote } from '#wfn.ts'

/** What a criterion says of a version that it holds for, as `CriterionVerdict` does. */
export interface Holding {
  readonly cap: number
  readonly loss: number
  /** It names no version. */
  readonly isEvery: boolean
}

/** A criterion, taken apart once. */
export interface QuickCriterion {
  readonly packed: PackedCriterion
  /** The number of what it is a part of. */
  readonly owner: number
  readonly part: string
  readonly version: string
  /** As it is compared; null where it says nothing of an update. */
  readonly update: string | null
  readonly isPreRelease: boolean
  readonly targetSoftware: string
  /** It names an edition, a platform or the like. */
  readonly isVariant: boolean
  /** Which one, when it was first looked at. */
  variant: Variant | null
}
interface Variant {
  readonly name: CpeName | null
  /** Lost for a product of which nothing of the kind is known; null where it does not hold for such. */
  readonly openLoss: number | null
}

const certain: Holding = { cap: 100, loss: 0, isEvery: false }
const partial: Holding = { cap: 100, loss: loss.partialVersion, isEvery: false }
const every: Holding = { cap: anyVersionCap, loss: 0, isEvery: true }

/** Takes a criterion apart. */
export function readQuick(packed: PackedCriterion, owner: number): QuickCriterion {
  const tail = packed.tail.toLowerCase()
  const [version = '', update = '*', ...more] = tail.includes(':') ? splitUnquoted(tail) : [tail]
  const wanted = update === '*' ? null : plainUpdate(update)
  return {
    packed,
    owner,
    part: packed.name.charAt('cpe:2.3:'.length).toLowerCase(),
    version,
    update: wanted,
    isPreRelease: wanted !== null && isPreRelease(wanted),
    targetSoftware: more[3] ?? '*',
    isVariant: more.length > 0,
    variant: null,
  }
}

/** A product as criteria are held against it, taken apart once. */
export interface QuickProduct {
  /** Its canonical name. */
  readonly key: ProductKey
  readonly name: CpeName
  readonly update: string
  /** Nothing is known of its edition, its platform or the like. */
  readonly isOpen: boolean
}

function variantOf(packed: PackedCriterion): Variant {
  const name = parseFormattedString(criterionOf(packed).criteria)
  return { name, openLoss: name && lossOf(name, open) }
}

const open: VariantName = {
  targetSoftware: '*',
  softwareEdition: '*',
  edition: '*',
  targetHardware: '*',
  language: '*',
  other: '*',
}

function lossOf(criterion: CpeName, product: VariantName): number | null {
  const verdict = decideVariant(product, criterion)
  return verdict.kind === 'yes' ? verdict.loss : null
}

/** Decides a criterion that was found for the version of a product. */
export function decideQuick(criterion: QuickCriterion, product: QuickProduct, listed: Listed): Holding | null {
  if (criterion.part !== product.name.part) return null
  const holding = ofVersion(criterion, product, listed)
  const lost = holding && ofVariant(criterion, product)
  if (holding === null || lost === null) return null
  if (criterion.update === null || criterion.update === product.update) return losing(holding, lost)
  // Another update was seen, or it is a candidate of the release that was.
  if (product.name.update !== '*' || criterion.isPreRelease) return null
  return losing(holding, lost + loss.variant)
}

function ofVersion(
  criterion: QuickCriterion,
  { key, name }: QuickProduct,
  { kind, isPartial }: Listed,
): Holding | null {
  const { version, targetSoftware } = criterion
  if (kind === 'within') return isPartial ? partial : certain
  if (version === name.version) return certain
  if (version === '*' || version === '-') return every
  if (compareValue(version, name.version) !== 'disjoint') return certain
  const order = compareVersions(unquote(name.version), unquote(version), { product: key, targetSoftware })
  return order === 0 ? certain : null
}

function ofVariant(criterion: QuickCriterion, { name, isOpen }: QuickProduct): number | null {
  if (!criterion.isVariant) return 0
  const variant = (criterion.variant ??= variantOf(criterion.packed))
  return isOpen ? variant.openLoss : variant.name && lossOf(variant.name, name)
}

function losing(holding: Holding, lost: number): Holding {
  return lost === 0 ? holding : { ...holding, loss: holding.loss + lost }
}
