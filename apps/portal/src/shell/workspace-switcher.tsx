import { useQuery, useQueryClient } from '@tanstack/react-query'
import { current, mine, switchTo } from '#workspaces/queries.ts'
import { MenuChoice, MenuDivider } from '#ui/menu-entries.tsx'

/** Menu entries for the workspaces to switch to, if there are several. */
export function WorkspaceSwitcher() {
  const client = useQueryClient()
  const { data } = useQuery(mine())
  const shown = useQuery(current()).data?.workspace.id
  const workspaces = data?.workspaces ?? []
  if (workspaces.length < 2) return null
  return (
    <>
      <p className="px-[9px] pt-1 pb-0.5 text-12 text-ink-3">Workspaces</p>
      {workspaces.map(({ id, name }) => (
        <MenuChoice key={id} checked={id === shown} onClick={() => id !== shown && switchTo(client, id)}>
          {name}
        </MenuChoice>
      ))}
      <MenuDivider />
    </>
  )
}
