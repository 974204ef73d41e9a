/** Maps the search params of the asset list to API filters. */
import type { InputOf } from '@glacis/contract/endpoint'
import type { Criticality, HostOrder, listHosts } from '@glacis/contract/host'
import type { SeverityCategory } from '@glacis/contract/threat'
import { Id } from '@glacis/contract/primitives'
import { z } from 'zod/mini'
import { id, lenient, listOf, paging, shortText } from '#lib/search-schema.ts'

/** The search params of the asset list. */
export const HostSearch = z.object({
  q: shortText,
  target: id,
  technology: id,
  tag: listOf(Id),
  severity: listOf(z.enum(['critical', 'high', 'medium', 'low'])),
  criticality: listOf(z.enum(['high', 'normal', 'low'])),
  /** `new`: first seen within a week. `gone`: not seen for a month. */
  age: lenient(z.enum(['new', 'gone'])),
  sort: lenient(z.enum(['address', 'checked', 'seen'])),
  ...paging,
})
export type HostSearch = z.infer<typeof HostSearch>
export type HostSort = NonNullable<HostSearch['sort']>
export type SeverityParam = NonNullable<HostSearch['severity']>[number]
export type CriticalityParam = NonNullable<HostSearch['criticality']>[number]

const severities: Readonly<Record<SeverityParam, SeverityCategory>> = {
  critical: 'CATEGORY_CRITICAL',
  high: 'CATEGORY_HIGH',
  medium: 'CATEGORY_MEDIUM',
  low: 'CATEGORY_LOW',
}
const criticalities: Readonly<Record<CriticalityParam, Criticality>> = {
  high: 'CRITICALITY_HIGH',
  normal: 'CRITICALITY_NORMAL',
  low: 'CRITICALITY_LOW',
}
const orders: Readonly<Record<HostSort, HostOrder>> = {
  address: 'ORDER_BY_ADDRESS',
  checked: 'ORDER_BY_LAST_CHECKED',
  seen: 'ORDER_BY_FIRST_SEEN',
}
const dayMs = 86_400_000
export const newDays = 7
const goneDays = 30

/** The list query. Ages are rounded to whole days so that page tokens, which are bound to the filter, stay valid. */
export function hostsInput(search: HostSearch, now = Date.now()): InputOf<typeof listHosts> {
  const { q, target, technology, tag, severity, criticality, age, sort, size, after } = search
  const ago = (days: number) => new Date((Math.floor(now / dayMs) - days) * dayMs).toISOString()
  return {
    pageSize: size ?? 25,
    pageToken: after?.at(-1),
    filter: {
      query: q || undefined,
      targetId: target,
      productId: technology,
      tagIds: tag && [...tag],
      severities: severity?.map((word) => severities[word]),
      criticalities: criticality?.map((word) => criticalities[word]),
      newSince: age === 'new' ? ago(newDays) : undefined,
      notSeenSince: age === 'gone' ? ago(goneDays) : undefined,
    },
    orderBy: sort && orders[sort],
  }
}
