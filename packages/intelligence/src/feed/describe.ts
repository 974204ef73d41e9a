/** Describes configurations for users: affected versions and the versions that fix them. */
import { allVersions } from '#match/criterion.ts'
import { boundsOf, formatRange } from '#match/range.ts'
import { displayName } from '#product-name.ts'
import { type Configuration, type CpeMatch, isDistribution, parseCriteria } from '#threat.ts'
import { compareGeneric } from '#version/generic.ts'
import { type CpeName, unquote } from '#wfn.ts'

/** How many products, and ranges of each, are listed; the rest is counted. */
const productsMax = 5
const rangesMax = 6

/** Describes the affected versions and the fixed versions; each is empty if unknown. */
export function describeConfigurations(configurations: readonly Configuration[]): { affected: string; fix: string } {
  const products = vulnerableByProduct(configurations)
  return { affected: formatAffected(products), fix: formatFix(products) }
}

/** `Apache HTTP Server: 2.4.49; ≥ 2.4.0, < 2.4.51`, one line per product. */
function formatAffected(products: Products): string {
  const lines = [...products].slice(0, productsMax).map(([product, criteria]) => {
    const ranges = [...new Set(criteria.map(formatVersions))]
    const more = ranges.length > rangesMax ? `; and ${ranges.length - rangesMax} more` : ''
    return `${product}: ${ranges.slice(0, rangesMax).join('; ')}${more}`
  })
  const rest = products.size - lines.length
  return [...lines, ...(rest > 0 ? [`and ${rest} more ${rest === 1 ? 'product' : 'products'}`] : [])].join('\n')
}

/** `Update to nginx 1.20.1, 1.21.0, or later.`; empty if no range ends before a release. */
function formatFix(products: Products): string {
  const sentences = [...products].flatMap(([product, criteria]) => {
    const ends = [...new Set(criteria.flatMap(({ match }) => match.versionEndExcluding ?? []))]
    if (ends.length === 0) return []
    const sorted = ends.toSorted((a, b) => compareGeneric(a, b) ?? 0)
    return [`Update to ${product} ${alternatives(sorted.slice(-rangesMax).map(unquote))}.`]
  })
  return sentences.slice(0, productsMax).join(' ')
}

function alternatives(versions: readonly string[]): string {
  return versions.length === 1 ? `${versions[0]} or later` : `${versions.join(', ')}, or later`
}

interface Criterion {
  readonly name: CpeName
  readonly match: CpeMatch
}
type Products = ReadonlyMap<string, readonly Criterion[]>

/**
 * Groups the vulnerable criteria by product. Excludes distributions that merely ship an application,
 * like `productKeys`.
 */
function vulnerableByProduct(configurations: readonly Configuration[]): Products {
  const criteria = configurations.flatMap(({ nodes }) =>
    nodes.flatMap(({ cpeMatch }) =>
      cpeMatch.flatMap((match) => {
        const name = match.vulnerable ? parseCriteria(match.criteria) : null
        return name ? [{ name, match }] : []
      }),
    ),
  )
  const isOfApplication = criteria.some(({ name }) => name.part === 'a')
  const own = criteria.filter(({ name }) => !isOfApplication || !isDistribution(name))
  return Map.groupBy(own, ({ name }) => displayName(name))
}

function formatVersions({ name, match }: Criterion): string {
  const range = unquote(formatRange(boundsOf(match)))
  if (range !== '') return range
  if (name.version === '*' || name.version === '-') return allVersions
  return `${unquote(name.version)}${/^[*-]$/.test(name.update) ? '' : ` ${unquote(name.update)}`}`
}
