/**
 * The applicability language of the NVD API 2.0: a threat applies if one of its configurations does.
 * A configuration combines nodes and a node combines criteria, each with AND or OR. Nodes that don't
 * name the product describe the platform it must run on and are checked against the same host.
 */
import {
  type CriterionVerdict,
  evaluateCriterion,
  type Mismatch,
  type MismatchReason,
  notAffected,
  notListed,
} from '#match/criterion.ts'
import { displayName } from '#product-name.ts'
import { familyOf, isOwnHardware, type PlatformFamily } from '#match/platform.ts'
import { type Configuration, type ConfigurationNode, type CpeMatch, parseCriteria } from '#threat.ts'
import type { CpeName } from '#wfn.ts'

/** The known state of a host: the product being matched and everything else detected there. */
export interface HostContext {
  readonly product: CpeName
  readonly others: readonly CpeName[]
  readonly families: ReadonlySet<PlatformFamily>
}

/** The result for one configuration or criterion, with its reason. */
export type Verdict =
  | {
      readonly kind: 'yes'
      /** The matching criterion, as a formatted string. */
      readonly criteria: string
      readonly range: string
      readonly text: string
      /** Display names of the required platform; empty if the configuration requires none. */
      readonly running: string
      /** Subtracted from the quality of detection for assumptions that were necessary. */
      readonly loss: number
      /** Upper limit of the quality of detection. */
      readonly cap: number
    }
  | Mismatch

/**
 * The result for one node. `subject`: the node lists the product as vulnerable; `present`: another
 * part of the host matches.
 */
type NodeVerdict =
  | { readonly kind: 'subject'; readonly verdict: Extract<Verdict, { kind: 'yes' }> }
  | { readonly kind: 'present'; readonly running: string; readonly loss: number }
  | Mismatch

/** Evaluates one configuration. */
export function evaluateConfiguration(configuration: Configuration, host: HostContext): Verdict {
  const nodes = configuration.nodes.map((node) => evaluateNode(node, host))
  const needsAll = configuration.operator === 'AND'
  if (configuration.negate) return platformMismatch('The record excludes software running on this host.')
  if (!needsAll) return bestVerdict(nodes.map(toVerdict))
  const failed = nodes.filter(isNoMatch)
  // A version outside the range is a better reason than a missing platform.
  if (failed.length > 0) return bestVerdict(failed)
  const subjects = nodes.flatMap((node) => (node.kind === 'subject' ? [node.verdict] : []))
  const [subject] = subjects
  if (!subject) return { kind: 'no', reason: 'other_product', text: notListed }
  const present = nodes.flatMap((node) => (node.kind === 'present' ? [node] : []))
  return {
    ...subject,
    running: present.map(({ running }) => running).join(', '),
    loss: Math.max(...subjects.map(({ loss }) => loss)) + Math.max(0, ...present.map(({ loss }) => loss)),
  }
}

/**
 * Evaluates nodes that don't list the product as vulnerable.
 *
 * @returns the quality lost by assumptions; null if a node doesn't apply
 */
export function evaluateOtherNodes(nodes: readonly ConfigurationNode[], host: HostContext): number | null {
  const verdicts = nodes.map((node) => evaluateNode(node, host))
  if (verdicts.some(isNoMatch)) return null
  return Math.max(0, ...verdicts.map((verdict) => (verdict.kind === 'present' ? verdict.loss : 0)))
}

/** Selects the most relevant verdict: the match with the highest quality, otherwise the most relevant reason. */
export function bestVerdict(verdicts: readonly Verdict[]): Verdict {
  const weight = (verdict: Verdict) =>
    verdict.kind === 'yes'
      ? 1000 + Math.min(100 - verdict.loss, verdict.cap)
      : reasonsByRelevance.indexOf(verdict.reason)
  const [first, ...rest] = verdicts
  if (!first) return { kind: 'no', reason: 'other_product', text: 'The record lists no products.' }
  const top = rest.reduce((best, verdict) => (weight(verdict) > weight(best) ? verdict : best), first)
  return top.kind !== 'yes' && top.version !== undefined ? withoutRange(top, top.version, verdicts) : top
}

/** A version outside several ranges isn't only outside the first of them. */
function withoutRange(top: Mismatch, version: string, verdicts: readonly Verdict[]): Mismatch {
  const isOnlyReason = verdicts.every(
    (verdict) => verdict.kind === 'yes' || verdict.reason !== top.reason || verdict.text === top.text,
  )
  return isOnlyReason ? top : { ...top, text: notAffected(version) }
}

/** From least to most relevant. Unknown outranks refuted: a version is outside only if it is outside every range. */
const reasonsByRelevance: readonly MismatchReason[] = [
  'rejected',
  'other_product',
  'other_variant',
  'other_platform',
  'version_outside',
  'fixed_by_distribution',
  'version_incomparable',
  'version_unknown',
]

function toVerdict(node: NodeVerdict): Verdict {
  if (node.kind === 'subject') return node.verdict
  if (node.kind === 'present') return { kind: 'no', reason: 'other_product', text: notListed }
  return node
}

function evaluateNode(node: ConfigurationNode, host: HostContext): NodeVerdict {
  const verdicts = node.cpeMatch.map((match) => evaluateMatch(match, host))
  if (node.negate) {
    const isPresent = verdicts.some(({ kind }) => kind === 'subject' || kind === 'present')
    return isPresent
      ? platformMismatch('The record excludes software running on this host.')
      : { kind: 'present', running: '', loss: 0 }
  }
  const missing = verdicts.filter(isNoMatch)
  if (node.operator === 'AND' && missing.length > 0) return mostRelevant(missing)
  const subjects = verdicts.flatMap((verdict) => (verdict.kind === 'subject' ? [verdict.verdict] : []))
  const top = subjects.length > 0 ? bestVerdict(subjects) : null
  if (top?.kind === 'yes') return { kind: 'subject', verdict: top }
  const present = verdicts.find(({ kind }) => kind === 'present')
  if (present) return present
  return assumePlatform(node, host) ?? mostRelevant(missing)
}

function evaluateMatch(match: CpeMatch, host: HostContext): NodeVerdict {
  const own = evaluateCriterion(host.product, match)
  if (own.kind === 'yes') return match.vulnerable ? asSubject(match, own) : asPresent(match, 0)
  if (host.others.some((product) => evaluateCriterion(product, match).kind === 'yes')) return asPresent(match, 0)
  return match.vulnerable || own.reason !== 'other_product' ? own : evaluatePlatform(match, host)
}

function asSubject(match: CpeMatch, own: Extract<CriterionVerdict, { kind: 'yes' }>): NodeVerdict {
  return { kind: 'subject', verdict: { ...own, criteria: match.criteria, running: '' } }
}

function asPresent(match: CpeMatch, loss: number): Extract<NodeVerdict, { kind: 'present' }> {
  const name = parseCriteria(match.criteria)
  return { kind: 'present', running: name ? displayName(name) : '', loss }
}

/** Scans rarely detect the exact platform, so the family is sufficient. Firmware implies its device. */
function evaluatePlatform(match: CpeMatch, host: HostContext): NodeVerdict {
  const name = parseCriteria(match.criteria)
  if (!name) return platformMismatch('The platform name in the record is invalid.')
  if (isOwnHardware(host.product, name)) return asPresent(match, 0)
  const family = familyOf(name)
  if (family && host.families.has(family)) return asPresent(match, 0)
  return platformMismatch(`Only affected when running on ${displayName(name)}, which was not detected on this host.`)
}

const assumedPlatformLoss = 30

/** If the host's operating system is unknown, a general-purpose one is assumed, at reduced quality. */
function assumePlatform(node: ConfigurationNode, host: HostContext): NodeVerdict | null {
  if (host.families.size > 0 || node.cpeMatch.some(({ vulnerable }) => vulnerable)) return null
  const assumed = node.cpeMatch.find(({ criteria }) => {
    const name = parseCriteria(criteria)
    return name !== null && familyOf(name) !== null
  })
  if (!assumed) return null
  const { running } = asPresent(assumed, 0)
  return { kind: 'present', running: `${running} (assumed)`, loss: assumedPlatformLoss }
}

function isNoMatch(verdict: NodeVerdict): verdict is Mismatch {
  return verdict.kind === 'no' || verdict.kind === 'unknown'
}

function mostRelevant(missing: readonly Mismatch[]): Mismatch {
  const verdict = bestVerdict(missing)
  return verdict.kind === 'yes' ? platformMismatch('') : verdict
}

function platformMismatch(text: string): Mismatch {
  return { kind: 'no', reason: 'other_platform', text }
}
