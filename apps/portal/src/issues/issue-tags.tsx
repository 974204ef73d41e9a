/** The tags of a risk and the menu that changes them. */
import type { Issue } from '@glacis/contract/issue'
import type { Tag } from '@glacis/contract/tag'
import { useMutation, useQuery } from '@tanstack/react-query'
import { editIssue } from '#issues/mutations.ts'
import { useDenial } from '#lib/role.ts'
import { tags as tagsQuery } from '#targets/queries.ts'
import { Badge, tagColor } from '#ui/badge.tsx'
import { Fact } from '#ui/card.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuChoice } from '#ui/menu-entries.tsx'

/** Assigns existing tags only; tags are created in Scope. */
export function IssueTags({ issue }: { readonly issue: Issue }) {
  const known = useQuery(tagsQuery()).data?.tags ?? []
  const change = useMutation(editIssue)
  const denial = useDenial('updateIssue')
  const chosen = new Set(issue.tags.map(({ id }) => id))
  const toggle = (id: string) => {
    const tags = [...chosen.symmetricDifference(new Set([id]))].map((tagId) => ({ id: tagId }))
    change.mutate({ id: issue.id, issue: { tags }, updateMask: { paths: ['tags'] } })
  }
  if (known.length === 0 && issue.tags.length === 0) return null
  return (
    <Fact name="Tags" editable>
      <span className="flex items-center justify-between gap-2">
        {issue.tags.length > 0 ? <TagBadges tags={issue.tags} /> : <span className="text-ink-3">None</span>}
        {!denial && (
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
        )}
      </span>
    </Fact>
  )
}

function TagBadges({ tags }: { readonly tags: readonly Tag[] }) {
  return (
    <span className="inline-flex min-w-0 flex-wrap gap-1 overflow-hidden">
      {tags.map(({ id, name, color }) => (
        <Badge key={id} variant={tagColor(color)}>
          {name}
        </Badge>
      ))}
    </span>
  )
}
