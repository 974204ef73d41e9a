/** Records held against a product all at once, without words: only what holds for its version is looked at. */
import { type ProductKey, productKey } from '#alias.ts'
import { decideConfiguration, decideOthers, type Surroundings } from '#match/applicability.ts'
import { everyVersion, fullVersionOf, isOpenVariant } from '#match/criterion.ts'
import { isOfVagueTimes, type MatchSubject, nameOfProduct, qualityOf, surroundings } from '#match/match.ts'
import { packCriterion, type PackedCriterion } from '#match/packed.ts'
import type { Hit, PackedThreat } from '#match/prepared.ts'
import { decideQuick, type Holding, type QuickCriterion, readQuick } from '#match/quick.ts'
import { createVersionIndex } from '#match/version-index.ts'
import { type Configuration, type CpeMatch, nameOfCriteria } from '#threat.ts'
import type { CpeName } from '#wfn.ts'

/** A configuration that asks for more than one criterion. */
export interface Asking {
  readonly configuration: Configuration
  /** Its nodes beside the one that is about the product; null where it is decided as a whole. */
  readonly others: Configuration['nodes'] | null
}

interface Kept<Threat> {
  readonly threat: Threat
  readonly isVague: boolean
  /** While a product is decided: the best of its units. */
  standing: Standing | null
}
/** Criteria of which the best counts, and what must hold beside it. */
interface Unit<Threat> {
  readonly kept: Kept<Threat>
  readonly asking: Asking | null
  /** While a product is decided: the number of the best criterion. */
  best: number
  holding: Holding | null
}
interface Standing {
  readonly unit: number
  readonly holding: Holding
}

/** Begins with no record. */
export function createBatch<Threat extends PackedThreat>(key: ProductKey) {
  const index = createVersionIndex(key)
  const criteria: QuickCriterion[] = []
  const units: Unit<Threat>[] = []
  const hostOf = createHosts()

  function add(threat: Threat, items: readonly (PackedCriterion | Configuration)[]): void {
    const kept = { threat, isVague: isOfVagueTimes(threat.key), standing: null }
    let open = -1
    for (const item of items) {
      if ('tail' in item) {
        if (open === -1) open = addUnit(kept, null)
        addCriterion(item, open)
        continue
      }
      open = -1
      const own = item.nodes.filter((node) => node.cpeMatch.some((match) => isOwn(match)))
      const unit = addUnit(kept, { configuration: item, others: othersOf(item, own) })
      for (const match of own.flatMap((node) => node.cpeMatch))
        if (isOwn(match)) addCriterion(packCriterion(match), unit)
    }
  }

  function addUnit(kept: Kept<Threat>, asking: Asking | null): number {
    return units.push({ kept, asking, best: -1, holding: null }) - 1
  }

  function addCriterion(packed: PackedCriterion, owner: number): void {
    const criterion = readQuick(packed, owner)
    index.add(criteria.push(criterion) - 1, criterion.version, criterion.targetSoftware, packed.bounds)
  }

  function isOwn(match: CpeMatch): boolean {
    return match.vulnerable && isNamed(match)
  }

  function isNamed({ criteria: text }: CpeMatch): boolean {
    const name = nameOfCriteria(text)
    return name !== null && productKey(name) === key
  }

  /** Where the product stands in one node alone, the others do not depend on its version. */
  function othersOf(configuration: Configuration, [node, ...more]: Configuration['nodes']): Asking['others'] {
    if (configuration.operator !== 'AND' || !node || more.length > 0) return null
    if (node.operator === 'AND' || node.negate) return null
    const others = configuration.nodes.filter((one) => one !== node)
    return others.some((one) => one.cpeMatch.some((match) => isNamed(match))) ? null : others
  }

  function decide(product: MatchSubject, inventory: readonly MatchSubject[]): Hit<Threat>[] {
    const name = nameOfProduct(product)
    if (!name || units.length === 0) return []
    const host = hostOf(name, product, inventory)
    const found: Kept<Threat>[] = []
    for (const owner of holdingUnits(name)) {
      const unit = unitAt(owner)
      const holding = whole(unit, host)
      unit.holding = null
      if (!holding) continue
      const { kept } = unit
      if (!kept.standing) found.push(kept)
      if (!kept.standing || goesBefore(holding, owner, kept.standing.holding, kept.standing.unit)) {
        kept.standing = { unit: owner, holding }
      }
    }
    return found.map((kept) => {
      const { holding, unit } = kept.standing as Standing // set where it was found
      kept.standing = null
      const { best, asking } = unitAt(unit)
      const quality = qualityOf(product.quality, holding, holding.isEvery && kept.isVague)
      return { threat: kept.threat, quality, criterion: (criteria[best] as QuickCriterion).packed, asking }
    })
  }

  /** Units with a criterion that holds, with the best one. */
  function holdingUnits(name: CpeName): number[] {
    const product = { key, name, update: fullVersionOf(name).update, isOpen: isOpenVariant(name) }
    const found: number[] = []
    for (const listed of index.find(name)) {
      for (const id of listed.ids) {
        const criterion = criteria[id] as QuickCriterion // numbers are given out above
        const holding = decideQuick(criterion, product, listed)
        if (!holding) continue
        const unit = unitAt(criterion.owner)
        if (!unit.holding) found.push(criterion.owner)
        else if (!goesBefore(holding, id, unit.holding, unit.best)) continue
        unit.holding = holding
        unit.best = id
      }
    }
    return found
  }

  function unitAt(at: number): Unit<Threat> {
    return units[at] as Unit<Threat> // numbers are given out above
  }
  return { add, decide }
}

/** What a unit says with all that must hold beside its best criterion. */
function whole<Threat>({ asking, holding }: Unit<Threat>, host: Host): Holding | null {
  if (!asking || !holding) return holding
  const { configuration, others } = asking
  if (others) {
    const lost = host.lossOf(others)
    return lost === null ? null : { ...holding, loss: holding.loss + lost }
  }
  const verdict = decideConfiguration(configuration, host.surroundings())
  if (verdict.kind !== 'yes') return null
  return { cap: verdict.cap, loss: verdict.loss, isEvery: verdict.range === everyVersion }
}

/** As `best` of several verdicts: the surest, and of those the first. */
function goesBefore(one: Holding, place: number, other: Holding, otherPlace: number): boolean {
  const difference = sureness(one) - sureness(other)
  return difference > 0 || (difference === 0 && place < otherPlace)
}

function sureness({ loss, cap }: Holding): number {
  return Math.min(100 - loss, cap)
}

/** A host as far as it is known, looked at when something is first asked of it. */
interface Host {
  surroundings(): Surroundings
  /** What is lost where all these nodes hold on the host; null where one does not. */
  lossOf(nodes: Configuration['nodes']): number | null
}

/** Hosts, of which those where nothing else is known are alike but for the versions of the product. */
function createHosts() {
  let alike = { id: '', losses: new Map<Configuration['nodes'], number | null>() }
  return (name: CpeName, product: MatchSubject, inventory: readonly MatchSubject[]): Host => {
    let known: Surroundings | null = null
    const host = () => (known ??= surroundings(name, product, inventory))
    const id = inventory.length > 0 ? null : [name.part, name.vendor, name.product, product.revision].join(' ')
    if (id === null || id !== alike.id) alike = { id: id ?? '', losses: new Map() }
    const { losses } = alike
    return {
      surroundings: host,
      lossOf(nodes) {
        const before = losses.get(nodes)
        if (before !== undefined) return before
        const lost = decideOthers(nodes, host())
        losses.set(nodes, lost)
        return lost
      },
    }
  }
}
