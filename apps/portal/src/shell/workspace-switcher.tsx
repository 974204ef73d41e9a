import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { accept, current, joinMutation, mine, switchTo } from '#workspaces/queries.ts'
import { MenuAction, MenuChoice, MenuDivider } from '#ui/menu-entries.tsx'

/** Menu entries for the workspaces to switch to, if there are several, and for those to join. */
export function WorkspaceSwitcher() {
  const client = useQueryClient()
  const { data } = useQuery(mine())
  const shown = useQuery(current()).data?.workspace.id
  // Set here rather than in `mutate`, which calls back only while mounted: the menu closes.
  const joining = useMutation({ ...joinMutation, onSuccess: ({ workspace }) => switchTo(client, workspace.id) })
  const accepting = useMutation({ ...accept, onSuccess: ({ workspaceId }) => switchTo(client, workspaceId) })
  const { workspaces = [], invitations = [], joinable = [] } = data ?? {}
  if (workspaces.length + invitations.length + joinable.length < 2) return null
  return (
    <>
      <p className="px-[9px] pt-1 pb-0.5 text-12 text-ink-3">Workspaces</p>
      {workspaces.map(({ id, name }) => (
        <MenuChoice key={id} checked={id === shown} onClick={() => id !== shown && switchTo(client, id)}>
          {name}
        </MenuChoice>
      ))}
      {invitations.map(({ id, workspaceName }) => (
        <MenuAction key={id} icon={<UserPlus />} onClick={() => accepting.mutate({ id })}>
          Join {workspaceName}
        </MenuAction>
      ))}
      {joinable.map(({ id, name }) => (
        <MenuAction key={id} icon={<UserPlus />} onClick={() => joining.mutate(id)}>
          Join {name}
        </MenuAction>
      ))}
      <MenuDivider />
    </>
  )
}
