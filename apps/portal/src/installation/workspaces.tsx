import type { WorkspaceUsage } from '@glacis/contract/installation'
import { useInfiniteQuery } from '@tanstack/react-query'
import { formatNumber } from '#lib/format.ts'
import { allWorkspaces } from '#installation/queries.ts'
import { LoadMore } from '#ui/load-more.tsx'
import { RelativeTime, TimeUntil } from '#ui/relative-time.tsx'
import { SettingsSection } from '#ui/settings-section.tsx'
import { SectionError } from '#ui/states.tsx'
import { Cell, HeaderCell, StackedName, Table } from '#ui/table.tsx'

/** All workspaces: their owners, size, and last use, not their contents. */
export function Workspaces() {
  const list = useInfiniteQuery(allWorkspaces())
  const shown = list.data?.pages.flatMap((page) => page.workspaces) ?? []
  return (
    <SettingsSection
      id="workspaces"
      isWide
      title="Workspaces"
      description="Their owners and sizes. Only members can see the contents of a workspace."
    >
      {list.isError && !list.data && <SectionError what="Workspaces" onRetry={() => void list.refetch()} />}
      {shown.length > 0 && <WorkspaceTable workspaces={shown} />}
      <LoadMore query={list} what="workspaces" className="mt-3" />
    </SettingsSection>
  )
}

function WorkspaceTable({ workspaces }: { readonly workspaces: readonly WorkspaceUsage[] }) {
  return (
    <Table label="Workspaces" fit="card" tall>
      <thead>
        <tr>
          <HeaderCell>Workspace</HeaderCell>
          <HeaderCell align="end" width={76}>
            Members
          </HeaderCell>
          <HeaderCell align="end" width={76}>
            Targets
          </HeaderCell>
          <HeaderCell align="end" width={76}>
            Assets
          </HeaderCell>
          <HeaderCell width={130}>Last active</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {workspaces.map(({ id, name, owners, members, targets, hosts, lastActiveTime, deleteTime }) => (
          <tr key={id}>
            <Cell label="Workspace" primary>
              <StackedName name={name} detail={owners.join(', ')} />
            </Cell>
            <Cell label="Members" align="end">
              {formatNumber(members)}
            </Cell>
            <Cell label="Targets" align="end">
              {formatNumber(targets)}
            </Cell>
            <Cell label="Assets" align="end">
              {formatNumber(hosts)}
            </Cell>
            <Cell label="Last active" quiet>
              {deleteTime ? (
                <>
                  will be deleted <TimeUntil value={deleteTime} />
                </>
              ) : lastActiveTime ? (
                <RelativeTime value={lastActiveTime} />
              ) : (
                '–'
              )}
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
