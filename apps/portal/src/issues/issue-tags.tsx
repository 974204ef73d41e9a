/** The tags of a risk: in their own colours, and put on and taken off where they stand. */
import type { Issue } from '@glacis/contract/issue'
import type { Tag } from '@glacis/contract/tag'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { assign } from '#issues/changes.ts'
import { tags as tagsQuery } from '#targets/queries.ts'
import { Badge, tagColour } from '#ui/badge.tsx'
import { Fact } from '#ui/card.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuChoice } from '#ui/menu-entries.tsx'

/** A fact that is changed where it stands; tags themselves are made with the scopes. */
export function IssueTags({ issue }: { readonly issue: Issue }) {
  const known = useQuery(tagsQuery()).data?.tags ?? []
  const change = useMutation(assign(useQueryClient()))
  const chosen = new Set(issue.tags.map(({ id }) => id))
  const toggle = (id: string) => {
    const tags = [...chosen.symmetricDifference(new Set([id]))].map((one) => ({ id: one }))
    change.mutate({ id: issue.id, issue: { tags }, updateMask: { paths: ['tags'] } })
  }
  if (known.length === 0 && issue.tags.length === 0) return null
  return (
    <Fact name="Tags" editable>
      <span className="flex items-center justify-between gap-2">
        {issue.tags.length > 0 ? <TagBadges tags={issue.tags} /> : <span className="text-ink-3">None</span>}
        <span className="-mr-2 flex-none">
          <Menu label="Change tags" button="Change" variant="ghost" size="xs">
            <div className="max-h-96 overflow-y-auto">
              {known.map(({ id, name }) => (
                <MenuChoice key={id} kind="checkbox" checked={chosen.has(id)} onClick={() => toggle(id)}>
                  {name}
                </MenuChoice>
              ))}
            </div>
          </Menu>
        </span>
      </span>
    </Fact>
  )
}

function TagBadges({ tags }: { readonly tags: readonly Tag[] }) {
  return (
    <span className="inline-flex min-w-0 flex-wrap gap-1 overflow-hidden">
      {tags.map(({ id, name, color }) => (
        <Badge key={id} variant={tagColour(color)}>
          {name}
        </Badge>
      ))}
    </span>
  )
}
