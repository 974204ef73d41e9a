/** Saved views: named filters of a portal page. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { Empty, Id, NextPage, Page, ShortName, Timestamp, UpdateMask } from '#primitives.ts'

/** Path of a portal page. */
const page = z.string().check(z.regex(/^\/[\w/-]{1,100}$/, 'Expected the path of a page, as in /risks/verified'))
/** The page's query string, without the question mark. */
const query = z.string().check(z.maxLength(2000))

export const View = z.object({
  id: Id,
  name: z.string(),
  page: z.string(),
  query: z.string(),
  /** Visible to everyone in the workspace. */
  shared: z.boolean(),
  /** Whether you saved it. */
  isYours: z.optional(z.boolean()),
  createTime: Timestamp,
  updateTime: Timestamp,
})
export type View = z.infer<typeof View>

export const listViews = endpoint({
  method: 'GET',
  path: '/v1/views',
  summary: 'List saved views',
  description: 'Oldest first.',
  input: z.object({ ...Page, filter: z.optional(z.strictObject({ page: z.optional(page) })) }),
  result: z.object({ views: z.array(View), ...NextPage }),
})
export const createView = endpoint({
  method: 'POST',
  path: '/v1/views',
  summary: 'Create a saved view',
  description: 'Names are unique per page.',
  input: z.strictObject({
    view: z.strictObject({ name: ShortName, page, query, shared: z._default(z.boolean(), false) }),
  }),
  result: z.object({ view: View }),
})
export const updateView = endpoint({
  method: 'PATCH',
  path: '/v1/views/:id',
  summary: 'Update a saved view',
  description: 'Changes only the fields named in `updateMask.paths`.',
  input: z.strictObject({
    id: Id,
    view: z.strictObject({ name: z.optional(ShortName), query: z.optional(query), shared: z.optional(z.boolean()) }),
    updateMask: UpdateMask,
  }),
  result: z.object({ view: View }),
})
export const deleteView = endpoint({
  method: 'DELETE',
  path: '/v1/views/:id',
  summary: 'Delete a saved view',
  input: z.object({ id: Id }),
  result: Empty,
})
