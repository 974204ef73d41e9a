/**
 * Which checks concern what was recognised on a service. Those run first, so that a scan whose time
 * ends early has asked what matters; the others still run, because nothing recognises everything.
 */
import type { Template } from '#template/template.ts'

/** A name of a product as it is compared: lower case, `_` between words. */
export function subjectName(name: string): string {
  return name
    .toLowerCase()
    .replace(/\\/g, '')
    .replace(/[\s_-]+/g, '_')
}

/** Names of what runs on a service. */
export function recognised(
  technologies: readonly { readonly name: string; readonly wfn: { readonly product: string } }[],
): ReadonlySet<string> {
  return new Set(technologies.flatMap(({ name, wfn }) => [subjectName(name), subjectName(wfn.product)]))
}

/** Orders checks: 0 for one that names something recognised, 1 for any other. */
export function rankOf({ subjects }: Template, names: ReadonlySet<string>): number {
  return subjects.isDisjointFrom(names) ? 1 : 0
}
