/**
 * The applicability language of NVD's API 2.0: a threat applies where one of its configurations
 * does; a configuration combines nodes, a node combines criteria, each by AND or OR.
 * Nodes without the product under question say what it must run on, and are asked of the same host.
 */
import { type CriterionVerdict, decideCriterion, type Mismatch } from '#match/criterion.ts'
import { familyOf, isOwnHardware, type PlatformFamily } from '#match/platform.ts'
import { type Configuration, type ConfigurationNode, type CpeMatch, nameOfCriteria } from '#threat.ts'
import { type CpeName, unquote } from '#wfn.ts'

/** A host as far as it is known: the product under question and everything else found there. */
export interface Surroundings {
  readonly product: CpeName
  readonly others: readonly CpeName[]
  readonly families: ReadonlySet<PlatformFamily>
}

/** What a configuration says of the product, and why. */
export type Verdict =
  | {
      readonly kind: 'yes'
      /** The criterion of the product, and its range in words. */
      readonly criteria: string
      readonly range: string
      readonly text: string
      /** What it runs on, in words; empty where the configuration does not ask. */
      readonly running: string
      readonly loss: number
      readonly cap: number
    }
  | Missing
interface Missing {
  readonly kind: 'no' | 'unknown'
  readonly reason: Mismatch
  readonly text: string
}

/** What one node says: `subject` is set where the product itself stands in it as vulnerable. */
type NodeVerdict =
  | { readonly kind: 'subject'; readonly verdict: Extract<Verdict, { kind: 'yes' }> }
  | { readonly kind: 'present'; readonly running: string; readonly loss: number }
  | Missing

/** Decides one configuration. */
export function decideConfiguration(configuration: Configuration, host: Surroundings): Verdict {
  const nodes = configuration.nodes.map((node) => decideNode(node, host))
  const needsAll = configuration.operator === 'AND'
  if (configuration.negate) return otherPlatform('The record excludes what the host runs.')
  if (!needsAll) return best(nodes.map(standingAlone))
  const failed = nodes.filter(isMissing)
  // A version that was read and lies outside says more than a platform that is not there.
  if (failed.length > 0) return best(failed)
  const subjects = nodes.flatMap((node) => (node.kind === 'subject' ? [node.verdict] : []))
  const [subject] = subjects
  if (!subject) return { kind: 'no', reason: 'other_product', text: 'The record is about other products.' }
  const present = nodes.flatMap((node) => (node.kind === 'present' ? [node] : []))
  return {
    ...subject,
    running: present.map(({ running }) => running).join(', '),
    loss: Math.max(...subjects.map(({ loss }) => loss)) + Math.max(0, ...present.map(({ loss }) => loss)),
  }
}

/**
 * Decides nodes in which the product does not stand as vulnerable.
 *
 * @returns the quality that is lost by what had to be assumed; null where one of them does not hold
 */
export function decideOthers(nodes: readonly ConfigurationNode[], host: Surroundings): number | null {
  const verdicts = nodes.map((node) => decideNode(node, host))
  if (verdicts.some(isMissing)) return null
  return Math.max(0, ...verdicts.map((verdict) => (verdict.kind === 'present' ? verdict.loss : 0)))
}

/** The most telling of several verdicts: a match first, then a version that was read, then the rest. */
export function best(verdicts: readonly Verdict[]): Verdict {
  const weight = (verdict: Verdict) =>
    verdict.kind === 'yes' ? 1000 + Math.min(100 - verdict.loss, verdict.cap) : importance.indexOf(verdict.reason)
  const [first, ...rest] = verdicts
  if (!first) return { kind: 'no', reason: 'other_product', text: 'The record names no product.' }
  return rest.reduce((top, verdict) => (weight(verdict) > weight(top) ? verdict : top), first)
}

/** What cannot be told goes before what was refuted: "outside" must hold for every alternative. */
const importance: readonly Mismatch[] = [
  'rejected',
  'other_product',
  'other_variant',
  'other_platform',
  'version_outside',
  'fixed_by_distribution',
  'version_incomparable',
  'version_unknown',
]

function standingAlone(node: NodeVerdict): Verdict {
  if (node.kind === 'subject') return node.verdict
  if (node.kind === 'present')
    return { kind: 'no', reason: 'other_product', text: 'The record is about other products.' }
  return node
}

function decideNode(node: ConfigurationNode, host: Surroundings): NodeVerdict {
  const verdicts = node.cpeMatch.map((match) => decideMatch(match, host))
  if (node.negate) {
    const isThere = verdicts.some(({ kind }) => kind === 'subject' || kind === 'present')
    return isThere
      ? otherPlatform('The record excludes what the host runs.')
      : { kind: 'present', running: '', loss: 0 }
  }
  const missing = verdicts.filter(isMissing)
  if (node.operator === 'AND' && missing.length > 0) return mostTelling(missing)
  const subjects = verdicts.flatMap((verdict) => (verdict.kind === 'subject' ? [verdict.verdict] : []))
  const top = subjects.length > 0 ? best(subjects) : null
  if (top?.kind === 'yes') return { kind: 'subject', verdict: top }
  const present = verdicts.find(({ kind }) => kind === 'present')
  if (present) return present
  return assumePlatform(node, host) ?? mostTelling(missing)
}

function decideMatch(match: CpeMatch, host: Surroundings): NodeVerdict {
  const own = decideCriterion(host.product, match)
  if (own.kind === 'yes') return match.vulnerable ? asSubject(match, own) : asPresent(match, 0)
  if (host.others.some((product) => decideCriterion(product, match).kind === 'yes')) return asPresent(match, 0)
  return match.vulnerable || own.reason !== 'other_product' ? own : decidePlatform(match, host)
}

function asSubject(match: CpeMatch, own: Extract<CriterionVerdict, { kind: 'yes' }>): NodeVerdict {
  return { kind: 'subject', verdict: { ...own, criteria: match.criteria, running: '' } }
}

function asPresent(match: CpeMatch, loss: number): Extract<NodeVerdict, { kind: 'present' }> {
  const name = nameOfCriteria(match.criteria)
  return { kind: 'present', running: name ? `${unquote(name.vendor)} ${unquote(name.product)}` : '', loss }
}

/** A criterion about the platform, which a scan seldom names: the family is enough, firmware implies its device. */
function decidePlatform(match: CpeMatch, host: Surroundings): NodeVerdict {
  const name = nameOfCriteria(match.criteria)
  if (!name) return otherPlatform('The platform of the record cannot be read.')
  if (isOwnHardware(host.product, name)) return asPresent(match, 0)
  const family = familyOf(name)
  if (family && host.families.has(family)) return asPresent(match, 0)
  return otherPlatform(`The record is about ${unquote(name.vendor)} ${unquote(name.product)}, which was not seen here.`)
}

const assumedPlatformLoss = 30

/** Where nothing is known of the host's system, a general one is assumed, at a loss of quality. */
function assumePlatform(node: ConfigurationNode, host: Surroundings): NodeVerdict | null {
  if (host.families.size > 0 || node.cpeMatch.some(({ vulnerable }) => vulnerable)) return null
  const assumed = node.cpeMatch.find(({ criteria }) => {
    const name = nameOfCriteria(criteria)
    return name !== null && familyOf(name) !== null
  })
  if (!assumed) return null
  const { running } = asPresent(assumed, 0)
  return { kind: 'present', running: `${running} (assumed)`, loss: assumedPlatformLoss }
}

function isMissing(verdict: NodeVerdict): verdict is Missing {
  return verdict.kind === 'no' || verdict.kind === 'unknown'
}

function mostTelling(missing: readonly Missing[]): Missing {
  const verdict = best(missing)
  return verdict.kind === 'yes' ? otherPlatform('') : verdict
}

function otherPlatform(text: string): Missing {
  return { kind: 'no', reason: 'other_platform', text }
}
