/**
 * Orders checks by relevance to the identified products. Relevant checks run first, in case the
 * deadline ends the scan early. The others still run, because identification is never complete.
 */
import type { Template } from '#template/template.ts'

/** Normalized product name: lower case, `_` between words. */
export function normalizedName(name: string): string {
  return name
    .toLowerCase()
    .replace(/\\/g, '')
    .replace(/[\s_-]+/g, '_')
}

/** Names of the software on a service. */
export function identifiedNames(
  technologies: readonly { readonly name: string; readonly wfn: { readonly product: string } }[],
): ReadonlySet<string> {
  return new Set(technologies.flatMap(({ name, wfn }) => [normalizedName(name), normalizedName(wfn.product)]))
}

/** Sort key: 0 for checks of an identified product, 1 for all others. */
export function rankOf({ subjects }: Template, names: ReadonlySet<string>): number {
  return subjects.isDisjointFrom(names) ? 1 : 0
}
