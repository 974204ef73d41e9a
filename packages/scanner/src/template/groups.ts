/** Requests that are written alike in many templates, so that each is sent once. */
import { createHash } from 'node:crypto'
import type { HttpBlock, RedirectPolicy, Template } from '#template/template.ts'
import { isPlaceVariable, placeholdersOf } from '#template/variables.ts'

/** The request for the address of the target itself. */
const FRONT = 'front'

/** A request of a template: the block, and the place of the request in it. */
export interface Member {
  readonly template: Template
  readonly block: number
  readonly question: number
}
/** All who want one request. */
export interface Group {
  readonly members: readonly Member[]
  /** It asks for the address of the target itself. */
  readonly isFront: boolean
  /** One of its templates is not bound to a product. */
  readonly isGeneral: boolean
}
/** Who of a group follows redirects in the same way. */
export interface Variant {
  readonly policy: RedirectPolicy
  readonly redirectsMax: number
  readonly members: readonly Member[]
}

/**
 * A digest of each request of a block as it is written; null for one whose placeholders stand for
 * something else than the place that is asked.
 */
export function writtenQuestions({ method, headers, body, paths, raws }: HttpBlock): (string | null)[] {
  const rest = [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body ?? ''].join('\n')
  const texts = [
    ...paths.map((path) => `${method} ${path}\n${rest}`),
    ...raws.map((raw) => `${Number(raw.isMerged)}\n${raw.text}`),
  ]
  return texts.map((text) => {
    if (!isOfPlace(text)) return null
    return isFront(text) ? FRONT : createHash('sha256').update(text).digest('base64url').slice(0, 22)
  })
}

function isOfPlace(text: string): boolean {
  return placeholdersOf(text).every(
    (one) => typeof one === 'object' && one.calls.size === 0 && [...one.names].every(isPlaceVariable),
  )
}

/** Groups the requests of templates that share them: the front page first, then what most wait for. */
export function groupRequests(templates: readonly Template[]): Group[] {
  const groups = new Map<string, { members: Member[]; isFront: boolean; isGeneral: boolean }>()
  for (const template of templates) {
    for (const [block, questions] of template.questions.entries()) {
      for (const [question, written] of questions.entries()) {
        const key = written ?? `\0${template.id} ${block} ${question}`
        const group = groups.get(key) ?? { members: [], isFront: key === FRONT, isGeneral: false }
        group.members.push({ template, block, question })
        if (!template.isSpecific) group.isGeneral = true
        groups.set(key, group)
      }
    }
  }
  return [...groups.values()].sort(
    (left, right) => Number(right.isFront) - Number(left.isFront) || right.members.length - left.members.length,
  )
}

function isFront(written: string): boolean {
  return /^GET \{\{(?:BaseURL|RootURL)\}\}\/?\n\s*$/.test(written)
}

const known = new WeakMap<Group, readonly Variant[]>()

/** The ways in which the members of a group follow redirects; worked out once. */
export function variantsOf(group: Group): readonly Variant[] {
  const made = known.get(group) ?? splitByRedirects(group)
  known.set(group, made)
  return made
}

function splitByRedirects({ members }: Group): readonly Variant[] {
  const policy = ({ template, block }: Member) => template.http[block]?.redirects ?? 'none'
  const most = ({ template, block }: Member) => template.http[block]?.redirectsMax ?? 0
  const byPolicy = Map.groupBy(members, (member) => `${policy(member)} ${policy(member) === 'none' ? 0 : most(member)}`)
  return [...byPolicy.values()].flatMap((alike) => {
    const [first] = alike
    return first ? [{ policy: policy(first), redirectsMax: most(first), members: alike }] : []
  })
}
