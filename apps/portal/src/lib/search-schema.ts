/** Search params of lists: parts of their schemas, and their filters. */
import { Id } from '@glacis/contract/primitives'
import { z } from 'zod/mini'

export const Flag = z.union([
  z.boolean(),
  z.pipe(
    z.enum(['true', 'false']),
    z.transform((word) => word === 'true'),
  ),
])
/** Drops an invalid value, because an outdated filter in a link is no reason to fail. */
export const lenient = <Item extends z.ZodMiniType>(item: Item) => z.catch(z.optional(item), undefined)
export const listOf = <Item extends z.ZodMiniType>(item: Item) =>
  lenient(
    z.readonly(
      z.pipe(
        z.transform((value: unknown) => (Array.isArray(value) ? value : [value])),
        z.array(item).check(z.minLength(1)),
      ),
    ),
  )
export const id = lenient(Id)
export const shortText = lenient(z.string().check(z.maxLength(200)))

/** Rows per page. */
const pageSizes = [25, 50, 100, 500] as const
export const paging = {
  size: lenient(z.pipe(z.coerce.number(), z.literal(pageSizes))),
  /** Tokens of the previous pages and this one; absent on the first page. */
  after: listOf(z.string().check(z.maxLength(2000))),
}

const notFilters = ['size', 'after', 'sort', 'group', 'create', 'watch']

/** The number of active filters. `except` names further params that aren't filters in this list. */
export function countFilters(search: object, except: readonly string[] = []): number {
  const isActive = ([name, value]: [string, unknown]) =>
    !notFilters.includes(name) && !except.includes(name) && (Array.isArray(value) ? value.length > 0 : Boolean(value))
  return Object.entries(search).filter(isActive).length
}

/** Clears the filters, and returns to the first page. Keeps page size, sort order, and grouping. */
export function withoutFilters<Size, Sort, Group>({
  size,
  sort,
  group,
}: {
  readonly size?: Size
  readonly sort?: Sort
  readonly group?: Group
}) {
  return { size, sort, group }
}
