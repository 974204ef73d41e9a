/** Tags that represent teams. Separate from `queries.ts`, which every page loads. */
import { createTag, deleteTag, listTags, type Tag, updateTag } from '@glacis/contract/tag'
import { mutationOptions } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { query } from '#api/query.ts'

export function tags() {
  return query(listTags, {})
}

interface TeamInput {
  readonly name: string
  readonly color: number
  readonly memberIds: readonly string[]
}

/** Creates a team. An ordinary tag with the same name becomes one. */
export const createTeam = mutationOptions({
  mutationFn: async ({ name, color, memberIds }: TeamInput) => {
    const team = { memberIds: [...memberIds] }
    const { tag } = await call(createTag, { tag: { name, color, team } })
    return tag.team ? { tag } : call(updateTag, { id: tag.id, tag: { team }, updateMask: { paths: ['team'] } })
  },
})

export const changeTeam = mutationOptions({
  mutationFn: ({ id, name, memberIds }: Pick<TeamInput, 'name' | 'memberIds'> & Pick<Tag, 'id'>) =>
    call(updateTag, {
      id,
      tag: { name, team: { memberIds: [...memberIds] } },
      updateMask: { paths: ['name', 'team'] },
    }),
})

/** Removes the tag from all targets and risks too. */
export const removeTeam = mutationOptions({ mutationFn: (id: string) => call(deleteTag, { id }) })
