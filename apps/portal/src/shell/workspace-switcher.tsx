import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Building2 } from 'lucide-react'
import { current, mine, switchTo } from '#workspaces/queries.ts'
import { MenuChoice, MenuDivider, MenuLink } from '#ui/menu-entries.tsx'

/** Menu entries: the workspace settings and, if there are several, the workspaces to switch to. */
export function WorkspaceSwitcher() {
  const client = useQueryClient()
  const { data } = useQuery(mine())
  const shown = useQuery(current()).data?.workspace.id
  const workspaces = data?.workspaces ?? []
  return (
    <>
      {workspaces.length > 1 && (
        <>
          <p className="px-[9px] pt-1 pb-0.5 text-12 text-ink-3">Workspaces</p>
          {workspaces.map(({ id, name }) => (
            <MenuChoice key={id} checked={id === shown} onClick={() => id !== shown && switchTo(client, id)}>
              {name}
            </MenuChoice>
          ))}
          <MenuDivider />
        </>
      )}
      <MenuLink to="/workspace" icon={<Building2 />}>
        Workspace settings
      </MenuLink>
    </>
  )
}
