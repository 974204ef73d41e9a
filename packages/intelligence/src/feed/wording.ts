/** Configurations in words for people. */
import { boundsOf, rangeInWords } from '#match/range.ts'
import { type Configuration, type CpeMatch, isDistribution, nameOfCriteria } from '#threat.ts'
import { compareGeneric } from '#version/generic.ts'
import { type CpeName, unquote } from '#wfn.ts'

/** So many products, and so many ranges of each, are named; the rest is counted. */
const productsMax = 5
const rangesMax = 6

/** What is affected and what has the fix; each empty where the configurations do not say. */
export function wordsOf(configurations: readonly Configuration[]): { affected: string; fix: string } {
  const products = vulnerableByProduct(configurations)
  return { affected: affectedInWords(products), fix: fixInWords(products) }
}

/** `http server = 2.4.49; ≥ 2.4.0, < 2.4.51`, one line per product. */
function affectedInWords(products: Products): string {
  const lines = [...products].slice(0, productsMax).map(([product, criteria]) => {
    const ranges = [...new Set(criteria.map(versionInWords))]
    const more = ranges.length > rangesMax ? `; and ${ranges.length - rangesMax} more` : ''
    return `${product}: ${ranges.slice(0, rangesMax).join('; ')}${more}`
  })
  const rest = products.size - lines.length
  return [...lines, ...(rest > 0 ? [`and ${rest} more products`] : [])].join('\n')
}

/** `Update nginx to 1.20.1 or 1.21.0 or later.`; empty where no range ends before a release. */
function fixInWords(products: Products): string {
  const sentences = [...products].flatMap(([product, criteria]) => {
    const ends = [...new Set(criteria.flatMap(({ match }) => match.versionEndExcluding ?? []))]
    if (ends.length === 0) return []
    const sorted = ends.toSorted((a, b) => compareGeneric(a, b) ?? 0)
    return [`Update ${product} to ${sorted.slice(-rangesMax).join(' or ')} or later.`]
  })
  return sentences.slice(0, productsMax).join(' ')
}

interface Criterion {
  readonly name: CpeName
  readonly match: CpeMatch
}
type Products = ReadonlyMap<string, readonly Criterion[]>

/** Distributions that ship an application are left out, as in the index of products. */
function vulnerableByProduct(configurations: readonly Configuration[]): Products {
  const criteria = configurations.flatMap(({ nodes }) =>
    nodes.flatMap(({ cpeMatch }) =>
      cpeMatch.flatMap((match) => {
        const name = match.vulnerable ? nameOfCriteria(match.criteria) : null
        return name ? [{ name, match }] : []
      }),
    ),
  )
  const isOfApplication = criteria.some(({ name }) => name.part === 'a')
  const own = criteria.filter(({ name }) => !isOfApplication || !isDistribution(name))
  return Map.groupBy(own, ({ name }) => label(name))
}

/** `apache http server`, but `nginx` and not `nginx nginx`. */
function label({ vendor, product }: CpeName): string {
  const words = (text: string) => unquote(text).replaceAll('_', ' ')
  return words(product).includes(words(vendor)) ? words(product) : `${words(vendor)} ${words(product)}`
}

function versionInWords({ name, match }: Criterion): string {
  const range = rangeInWords(boundsOf(match))
  if (range !== '') return range
  if (name.version === '*' || name.version === '-') return 'every version'
  return `= ${unquote(name.version)}${/^[*-]$/.test(name.update) ? '' : ` ${unquote(name.update)}`}`
}
