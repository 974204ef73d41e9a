/** Groups identical requests of different templates, so that each is sent once. */
import { createHash } from 'node:crypto'
import type { HttpBlock, RedirectPolicy, Template } from '#template/template.ts'
import { isTargetVariable, placeholdersOf } from '#template/variables.ts'

/** The request for the target URL itself. */
const FRONT = 'front'

/** A reference to a template's request: its block and the index in that block. */
export interface Member {
  readonly template: Template
  readonly block: number
  readonly request: number
}
/** All templates that share a request. */
export interface Group {
  readonly members: readonly Member[]
  /** It requests the target URL itself. */
  readonly isFront: boolean
  /** At least one of its templates is not specific to a product. */
  readonly isGeneral: boolean
  /** Its path can't be decoded, which crashes some servers. */
  readonly isUndecodable: boolean
}
/** Members of a group with the same redirect policy. */
export interface Variant {
  readonly policy: RedirectPolicy
  readonly redirectsMax: number
  readonly members: readonly Member[]
}

/**
 * Digest of each request in a block as written; null for one with placeholders that don't only
 * depend on the target.
 */
export function requestDigests({ method, headers, body, paths, raws }: HttpBlock): (string | null)[] {
  const rest = [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body ?? ''].join('\n')
  const texts = [
    ...paths.map((path) => `${method} ${path}\n${rest}`),
    ...raws.map((raw) => `${Number(raw.isMerged)}\n${raw.text}`),
  ]
  return texts.map((text) => {
    if (!dependsOnTargetOnly(text)) return null
    return isFront(text) ? FRONT : createHash('sha256').update(text).digest('base64url').slice(0, 22)
  })
}

function dependsOnTargetOnly(text: string): boolean {
  return placeholdersOf(text).every(
    (placeholders) =>
      typeof placeholders === 'object' &&
      placeholders.calls.size === 0 &&
      [...placeholders.names].every(isTargetVariable),
  )
}

/** Groups the templates' requests: the front page first, then by descending number of templates. */
export function groupRequests(templates: readonly Template[]): Group[] {
  const groups = new Map<string, { members: Member[]; isFront: boolean; isGeneral: boolean; isUndecodable: boolean }>()
  for (const template of templates) {
    for (const [block, digests] of template.requestDigests.entries()) {
      for (const [question, written] of digests.entries()) {
        const key = written ?? `\0${template.id} ${block} ${question}`
        const group = groups.get(key) ?? {
          members: [],
          isFront: key === FRONT,
          isGeneral: false,
          isUndecodable: isUndecodable(template.http[block]?.paths[question] ?? ''),
        }
        group.members.push({ template, block, request: question })
        if (!template.isSpecific) group.isGeneral = true
        groups.set(key, group)
      }
    }
  }
  return [...groups.values()].sort(
    (left, right) => Number(right.isFront) - Number(left.isFront) || right.members.length - left.members.length,
  )
}

/** Whether a path has bytes that aren't UTF-8, or a null byte. Servers that don't expect such bytes crash with an exception. */
export function isUndecodable(path: string): boolean {
  return /%00|%c[01]|%f[5-9a-f]/i.test(path)
}

function isFront(written: string): boolean {
  return /^GET \{\{(?:BaseURL|RootURL)\}\}\/?\n\s*$/.test(written)
}

const cached = new WeakMap<Group, readonly Variant[]>()

/** The group's members by redirect policy, computed once. */
export function variantsOf(group: Group): readonly Variant[] {
  const variants = cached.get(group) ?? splitByRedirects(group)
  cached.set(group, variants)
  return variants
}

function splitByRedirects({ members }: Group): readonly Variant[] {
  const policy = ({ template, block }: Member) => template.http[block]?.redirects ?? 'none'
  const redirectsMaxOf = ({ template, block }: Member) => template.http[block]?.redirectsMax ?? 0
  const byPolicy = Map.groupBy(
    members,
    (member) => `${policy(member)} ${policy(member) === 'none' ? 0 : redirectsMaxOf(member)}`,
  )
  return [...byPolicy.values()].flatMap((alike) => {
    const [first] = alike
    return first ? [{ policy: policy(first), redirectsMax: redirectsMaxOf(first), members: alike }] : []
  })
}
