/**
 * Criteria compiled for fast matching. The version index has already checked the version bounds; the
 * remaining attributes are compared here with the same result as `evaluateCriterion`, but without
 * texts.
 */
import type { ProductKey } from '#alias.ts'
import { allVersionsCap, evaluateVariant, normalizeUpdate, qualityLoss, type VariantName } from '#match/criterion.ts'
import { type PackedCriterion, toCpeMatch } from '#match/packed.ts'
import type { Candidates } from '#match/version-index.ts'
import { isPreRelease } from '#version/generic.ts'
import { compareVersions } from '#version/version.ts'
import { compareValue } from '#wfn-compare.ts'
import { type CpeName, parseFormattedString, splitUnquoted, unquote } from '#wfn.ts'

/** Quality of a matching criterion, as in `CriterionVerdict`. */
export interface CriterionMatch {
  readonly cap: number
  readonly loss: number
  /** The criterion specifies no version. */
  readonly isAnyVersion: boolean
}

/** A criterion, parsed once. */
export interface CompiledCriterion {
  readonly packed: PackedCriterion
  /** Index of the alternative it belongs to. */
  readonly owner: number
  readonly part: string
  readonly version: string
  /** Normalized; null if the criterion specifies no update. */
  readonly update: string | null
  readonly isPreRelease: boolean
  readonly targetSoftware: string
  /** The criterion specifies an edition, a platform, or another variant attribute. */
  readonly isVariant: boolean
  /** Parsed on first use. */
  variant: Variant | null
}
interface Variant {
  readonly name: CpeName | null
  /** Quality lost if the product's variant is unspecified; null if such a product doesn't match. */
  readonly unspecifiedLoss: number | null
}

const exactMatch: CriterionMatch = { cap: 100, loss: 0, isAnyVersion: false }
const partialMatch: CriterionMatch = { cap: 100, loss: qualityLoss.partialVersion, isAnyVersion: false }
const anyVersionMatch: CriterionMatch = { cap: allVersionsCap, loss: 0, isAnyVersion: true }

/** Parses a packed criterion of the alternative `owner`. */
export function compileCriterion(packed: PackedCriterion, owner: number): CompiledCriterion {
  const tail = packed.tail.toLowerCase()
  const [version = '', update = '*', ...more] = tail.includes(':') ? splitUnquoted(tail) : [tail]
  const normalizedUpdate = update === '*' ? null : normalizeUpdate(update)
  return {
    packed,
    owner,
    part: packed.name.charAt('cpe:2.3:'.length).toLowerCase(),
    version,
    update: normalizedUpdate,
    isPreRelease: normalizedUpdate !== null && isPreRelease(normalizedUpdate),
    targetSoftware: more[3] ?? '*',
    isVariant: more.length > 0,
    variant: null,
  }
}

/** A product prepared for matching. */
export interface CompiledProduct {
  /** The canonical `vendor:product` key. */
  readonly key: ProductKey
  readonly name: CpeName
  readonly update: string
  /** No variant attribute is known. */
  readonly isVariantUnspecified: boolean
}

function parseVariant(packed: PackedCriterion): Variant {
  const name = parseFormattedString(toCpeMatch(packed).criteria)
  return { name, unspecifiedLoss: name && lossOf(name, unspecifiedVariant) }
}

const unspecifiedVariant: VariantName = {
  targetSoftware: '*',
  softwareEdition: '*',
  edition: '*',
  targetHardware: '*',
  language: '*',
  other: '*',
}

function lossOf(criterion: CpeName, product: VariantName): number | null {
  const verdict = evaluateVariant(product, criterion)
  return verdict.kind === 'yes' ? verdict.loss : null
}

/** Matches a criterion that the version index returned for the product; null if it doesn't match. */
export function matchCriterion(
  criterion: CompiledCriterion,
  product: CompiledProduct,
  candidates: Candidates,
): CriterionMatch | null {
  if (criterion.part !== product.name.part) return null
  const match = matchVersion(criterion, product, candidates)
  const loss = match && variantLoss(criterion, product)
  if (match === null || loss === null) return null
  if (criterion.update === null || criterion.update === product.update) return withLoss(match, loss)
  // The product has a different update, or the criterion is about a pre-release and the product is the release.
  if (product.name.update !== '*' || criterion.isPreRelease) return null
  return withLoss(match, loss + qualityLoss.variant)
}

function matchVersion(
  criterion: CompiledCriterion,
  { key, name }: CompiledProduct,
  { kind, isPartial }: Candidates,
): CriterionMatch | null {
  const { version, targetSoftware } = criterion
  if (kind === 'within') return isPartial ? partialMatch : exactMatch
  if (version === name.version) return exactMatch
  if (version === '*' || version === '-') return anyVersionMatch
  if (compareValue(version, name.version) !== 'disjoint') return exactMatch
  const order = compareVersions(unquote(name.version), unquote(version), { product: key, targetSoftware })
  return order === 0 ? exactMatch : null
}

function variantLoss(criterion: CompiledCriterion, { name, isVariantUnspecified }: CompiledProduct): number | null {
  if (!criterion.isVariant) return 0
  const variant = (criterion.variant ??= parseVariant(criterion.packed))
  return isVariantUnspecified ? variant.unspecifiedLoss : variant.name && lossOf(variant.name, name)
}

function withLoss(match: CriterionMatch, loss: number): CriterionMatch {
  return loss === 0 ? match : { ...match, loss: match.loss + loss }
}
