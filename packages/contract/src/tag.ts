/** Tags of targets and issues. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { Empty, Id, ShortName, UpdateMask } from '#primitives.ts'

/** The color is an index into the ten badge colors: main, gray, orange, yellow, pink, teal, purple, blue, green, red. */
export const Tag = z.object({
  id: Id,
  name: z.string(),
  color: z.int(),
  /** Present if the tag represents a team; notifications can be routed to its members. */
  team: z.optional(z.object({ memberIds: z.array(z.string()) })),
})
export type Tag = z.infer<typeof Tag>

/** Identity IDs of members. */
const Team = z.strictObject({
  memberIds: z.array(z.string().check(z.minLength(1), z.maxLength(200))).check(z.maxLength(200)),
})
const TagColor = z.int().check(z.minimum(0), z.maximum(9))
export const listTags = endpoint({
  method: 'GET',
  path: '/v1/tags',
  summary: 'List tags',
  input: z.object({}),
  result: z.object({ tags: z.array(Tag) }),
})
export const createTag = endpoint({
  method: 'POST',
  path: '/v1/tags',
  summary: 'Create a tag',
  description: 'Returns the existing tag if the name is already in use.',
  input: z.strictObject({
    tag: z.strictObject({ name: ShortName, color: TagColor, team: z.optional(Team) }),
  }),
  result: z.object({ tag: Tag }),
})
export const updateTag = endpoint({
  method: 'PATCH',
  path: '/v1/tags/:id',
  summary: 'Update a tag',
  description:
    'Changes its name or color everywhere it is used, or the members of its team. A team of `null` makes it an ordinary tag.',
  input: z.strictObject({
    id: Id,
    tag: z.strictObject({
      name: z.optional(ShortName),
      color: z.optional(TagColor),
      team: z.optional(z.nullable(Team)),
    }),
    updateMask: UpdateMask,
  }),
  result: z.object({ tag: Tag }),
})
export const deleteTag = endpoint({
  method: 'DELETE',
  path: '/v1/tags/:id',
  summary: 'Delete a tag',
  description: 'Removes it from all targets and issues.',
  input: z.object({ id: Id }),
  result: Empty,
})
