/**
 * Reads product lifecycles published by endoflife.date: the documents of its API (version 1) or the
 * pages of its repository, whose front matter contains the same data.
 */
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import { productKey } from '#alias.ts'
import type { Item, Lifecycle, ReleaseCycle } from '#feed/item.ts'
import { lenientArray } from '#feed/lenient-array.ts'
import type { ThreatRecord } from '#threat.ts'
import { severityOf } from '#severity.ts'
import { bindFormattedString, type CpeName, nameOf } from '#wfn.ts'
import { parseCpe } from '#wfn-uri.ts'

const Text = z.union([z.string(), z.number()]).transform(String)
const EndDate = z.union([z.iso.date(), z.boolean()])

/** The front matter of a page in the repository. */
const Page = z.object({
  title: z.string(),
  permalink: z.string(),
  identifiers: lenientArray(z.object({ cpe: z.string().optional() })),
  releases: lenientArray(z.object({ releaseCycle: Text, eol: EndDate, latest: Text.optional() })),
})
/** A product in the API. */
const Product = z.object({
  name: z.string(),
  label: z.string(),
  identifiers: lenientArray(z.object({ type: z.string(), id: z.string() })),
  releases: lenientArray(
    z.object({
      name: Text,
      isEol: z.boolean().catch(false),
      eolFrom: z.iso.date().nullish(),
      latest: z.object({ name: Text }).nullish(),
    }),
  ),
})

/** Parses a product from the API's `result`. */
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
  return { kind: 'lifecycle', lifecycle: createLifecycle(data.name, data.label, cpes, cycles) }
}

/** Parses a page of the repository: Markdown with YAML front matter. */
export function parseLifecyclePage(text: string, file: string): Item {
  const [, matter] = /^---\n([\s\S]*?)\n---/.exec(text.replaceAll('\r\n', '\n')) ?? []
  let document: unknown
  try {
    document = parseYaml(matter ?? '', { maxAliasCount: 100, logLevel: 'silent' })
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
  return { kind: 'lifecycle', lifecycle: createLifecycle(data.permalink.replace(/^\//, ''), data.title, cpes, cycles) }
}

function createLifecycle(
  slug: string,
  name: string,
  cpes: readonly string[],
  cycles: readonly ReleaseCycle[],
): Lifecycle {
  const names = cpes.flatMap((text) => parseShortCpe(text) ?? [])
  const keys = names.flatMap((cpeName) => {
    const key = productKey(cpeName)
    if (!key) return []
    const at = /(?<!\\):/.exec(key)?.index ?? key.length
    return { part: cpeName.part, vendor: key.slice(0, at), product: key.slice(at + 1) }
  })
  const products = [...new Map(keys.map((key) => [`${key.vendor}:${key.product}`, key])).values()]
  return { slug, name, products, cycles }
}

/** Parses a CPE name that ends after the product, as in this feed. */
function parseShortCpe(text: string): CpeName | null {
  const [, part, vendor, product] = /^cpe:(?:2\.3:|\/)([aoh]):([^:]+):([^:]+)/.exec(text.trim()) ?? []
  if (part === undefined || vendor === undefined || product === undefined) return null
  return text.startsWith('cpe:/') ? parseCpe(`cpe:/${part}:${vendor}:${product}`) : nameOf({ part, vendor, product })
}

/** The cycle of a version: the longest one that is a prefix of it. */
export function cycleOf<Cycle extends { readonly cycle: string }>(
  version: string,
  cycles: readonly Cycle[],
): Cycle | undefined {
  const plain = version.replace(/^v(?=\d)/i, '').toLowerCase()
  const own = cycles.filter(({ cycle }) => {
    const prefix = cycle.toLowerCase()
    return plain === prefix || (plain.startsWith(prefix) && !/[0-9a-z]/.test(plain[prefix.length] ?? ''))
  })
  return own.toSorted((a, b) => b.cycle.length - a.cycle.length)[0]
}

/** Unsupported software isn't vulnerable yet, but new vulnerabilities won't be fixed. */
const endOfLifeScore = 5.5

/**
 * Represents the end of a release cycle as a threat, so that it is matched, raised, and resolved like
 * any other. Returns null for cycles that are supported or whose name is not numeric, because those
 * have no order.
 */
export function threatOfCycle(
  { slug, name, products }: Lifecycle,
  { cycle, endsOn, isOver, latest }: ReleaseCycle,
): ThreatRecord | null {
  if ((endsOn === null && !isOver) || !/^\d+(?:\.\d+)*$/.test(cycle) || products.length === 0) return null
  const last = cycle.lastIndexOf('.') + 1
  const next = `${cycle.slice(0, last)}${Number(cycle.slice(last)) + 1}`
  const cpeMatch = products.flatMap((product) => {
    const cpeName = nameOf(product)
    return cpeName
      ? {
          vulnerable: true,
          criteria: bindFormattedString(cpeName),
          versionStartIncluding: cycle,
          versionEndExcluding: next,
        }
      : []
  })
  const when = endsOn === null ? 'has ended' : `ended on ${endsOn}`
  const latestRelease = latest === '' ? '' : ` The latest ${cycle} release is ${latest}.`
  const node = { operator: 'OR' as const, negate: false, cpeMatch }
  return {
    id: `end-of-life-${slug}-${cycle}`,
    name: `${name} ${cycle} is no longer supported`,
    summary: `Support for ${name} ${cycle} ${when}: the vendor no longer provides fixes, including security fixes.`,
    impact: 'New vulnerabilities will not be fixed and may not even be disclosed.',
    affected: `${name} ${cycle}.${latestRelease}`,
    insight: 'The version reported by the service was compared with the published support lifecycle.',
    severity: { ...severityOf(''), score: endOfLifeScore, category: 'CATEGORY_MEDIUM' },
    metrics: [],
    solution: { kind: 'KIND_VENDOR_FIX', description: `Upgrade to a supported release of ${name}.` },
    references: [{ url: `https://endoflife.date/${slug}` }],
    weaknesses: ['CWE-1104'],
    configurations: cpeMatch.length > 0 ? [{ operator: 'OR', negate: false, nodes: [node] }] : [],
    isRejected: false,
    publishTime: endsOn === null ? '' : `${endsOn}T00:00:00.000Z`,
    modifyTime: '',
  }
}
