/**
 * Life cycles of products, as endoflife.date publishes them: the documents of its API version 1, or
 * the pages of its repository, whose front matter holds the same.
 */
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import { productKey } from '#alias.ts'
import type { Item, Lifecycle, ReleaseCycle } from '#feed/item.ts'
import { sound } from '#feed/sound.ts'
import type { ThreatRecord } from '#threat.ts'
import { severityOf } from '#severity.ts'
import { bindFormattedString, type CpeName, nameOf } from '#wfn.ts'
import { parseCpe } from '#wfn-uri.ts'

const word = z.union([z.string(), z.number()]).transform(String)
const End = z.union([z.iso.date(), z.boolean()])

/** The front matter of a page. */
const Page = z.object({
  title: z.string(),
  permalink: z.string(),
  identifiers: sound(z.object({ cpe: z.string().optional() })),
  releases: sound(z.object({ releaseCycle: word, eol: End, latest: word.optional() })),
})
/** A product of the API. */
const Product = z.object({
  name: z.string(),
  label: z.string(),
  identifiers: sound(z.object({ type: z.string(), id: z.string() })),
  releases: sound(
    z.object({
      name: word,
      isEol: z.boolean().catch(false),
      eolFrom: z.iso.date().nullish(),
      latest: z.object({ name: word }).nullish(),
    }),
  ),
})

/** Reads a product of the API's `result`. */
export function parseLifecycle(input: unknown): Item {
  const { data, error } = Product.safeParse(input)
  if (!data) {
    const id = z.object({ name: z.string() }).safeParse(input)
    return { kind: 'skipped', id: id.data?.name ?? '', problem: z.prettifyError(error) }
  }
  const cycles = data.releases.map(({ name, isEol, eolFrom, latest }) => ({
    cycle: name,
    endsOn: eolFrom ?? null,
    isOver: isEol && !eolFrom,
    latest: latest?.name ?? '',
  }))
  const cpes = data.identifiers.flatMap(({ type, id }) => (type === 'cpe' ? [id] : []))
  return { kind: 'lifecycle', lifecycle: lifecycle(data.name, data.label, cpes, cycles) }
}

/** Reads a page of the repository, Markdown with a front matter. */
export function parseLifecyclePage(text: string, file: string): Item {
  const [, matter] = /^---\n([\s\S]*?)\n---/.exec(text.replaceAll('\r\n', '\n')) ?? []
  let document: unknown
  try {
    document = parseYaml(matter ?? '', { maxAliasCount: 100 })
  } catch (error) {
    return { kind: 'skipped', id: file, problem: error instanceof Error ? error.message : String(error) }
  }
  const { data, error } = Page.safeParse(document)
  if (!data) return { kind: 'skipped', id: file, problem: z.prettifyError(error) }
  const cycles = data.releases.map(({ releaseCycle, eol, latest }) => ({
    cycle: releaseCycle,
    endsOn: typeof eol === 'string' ? eol : null,
    isOver: eol === true,
    latest: latest ?? '',
  }))
  const cpes = data.identifiers.flatMap(({ cpe }) => cpe ?? [])
  return { kind: 'lifecycle', lifecycle: lifecycle(data.permalink.replace(/^\//, ''), data.title, cpes, cycles) }
}

function lifecycle(slug: string, name: string, cpes: readonly string[], cycles: readonly ReleaseCycle[]): Lifecycle {
  const names = cpes.flatMap((text) => parseShortCpe(text) ?? [])
  const keys = names.flatMap((one) => {
    const key = productKey(one)
    if (!key) return []
    const at = /(?<!\\):/.exec(key)?.index ?? key.length
    return { part: one.part, vendor: key.slice(0, at), product: key.slice(at + 1) }
  })
  const products = [...new Map(keys.map((one) => [`${one.vendor}:${one.product}`, one])).values()]
  return { slug, name, products, cycles }
}

/** Names are cut off behind the product there. */
function parseShortCpe(text: string): CpeName | null {
  const [, part, vendor, product] = /^cpe:(?:2\.3:|\/)([aoh]):([^:]+):([^:]+)/.exec(text.trim()) ?? []
  if (part === undefined || vendor === undefined || product === undefined) return null
  return text.startsWith('cpe:/') ? parseCpe(`cpe:/${part}:${vendor}:${product}`) : nameOf({ part, vendor, product })
}

/** The cycle that a version belongs to: the longest one that it begins with. */
export function cycleOf<Cycle extends { readonly cycle: string }>(
  version: string,
  cycles: readonly Cycle[],
): Cycle | undefined {
  const plain = version.replace(/^v(?=\d)/i, '').toLowerCase()
  const own = cycles.filter(({ cycle }) => {
    const beginning = cycle.toLowerCase()
    return plain === beginning || (plain.startsWith(beginning) && !/[0-9a-z]/.test(plain[beginning.length] ?? ''))
  })
  return own.toSorted((a, b) => b.cycle.length - a.cycle.length)[0]
}

/** Software that nobody mends any more is not broken by that, but it will not stay sound. */
const endOfLifeScore = 5.5

/**
 * The end of a cycle as a threat, so that it is matched, raised and resolved like any other. Cycles
 * that do not count in numbers have no order and give none.
 */
export function threatOfCycle(
  { slug, name, products }: Lifecycle,
  { cycle, endsOn, isOver, latest }: ReleaseCycle,
): ThreatRecord | null {
  if ((endsOn === null && !isOver) || !/^\d+(?:\.\d+)*$/.test(cycle) || products.length === 0) return null
  const next = cycle.replace(/\d+$/, (last) => String(Number(last) + 1))
  const cpeMatch = products.flatMap((one) => {
    const bound = nameOf(one)
    return bound
      ? {
          vulnerable: true,
          criteria: bindFormattedString(bound),
          versionStartIncluding: cycle,
          versionEndExcluding: next,
        }
      : []
  })
  const when = endsOn === null ? 'has ended' : `ended on ${endsOn}`
  const upTo = latest === '' ? '' : ` The newest release of ${cycle} is ${latest}.`
  const node = { operator: 'OR' as const, negate: false, cpeMatch }
  return {
    id: `end-of-life-${slug}-${cycle}`,
    name: `${name} ${cycle} is no longer supported`,
    summary: `Support for ${name} ${cycle} ${when}: its makers correct no more errors in it, security errors included.`,
    impact: 'Weaknesses that become known from now on stay open, and nobody may even tell of them.',
    affected: `${name} ${cycle}.${upTo}`,
    insight: 'The version that the service names was compared with the life cycles that its makers publish.',
    severity: { ...severityOf(''), score: endOfLifeScore, category: 'CATEGORY_MEDIUM' },
    metrics: [],
    solution: { kind: 'KIND_VENDOR_FIX', description: `Move to a release of ${name} that is still supported.` },
    references: [{ url: `https://endoflife.date/${slug}` }],
    weaknesses: ['CWE-1104'],
    configurations: cpeMatch.length > 0 ? [{ operator: 'OR', negate: false, nodes: [node] }] : [],
    isRejected: false,
    publishTime: endsOn === null ? '' : `${endsOn}T00:00:00.000Z`,
    modifyTime: '',
  }
}
