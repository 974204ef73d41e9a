import type { Agent } from '@glacis/contract/agent'
import { Ellipsis, KeyRound, Pencil, ShieldCheck, SquareTerminal, Trash2 } from 'lucide-react'
import type { AgentDialog } from '#agents/agent-dialogs.tsx'
import { type AgentSort, formatLatency } from '#agents/labels.ts'
import { formatDate, formatNumber } from '#lib/format.ts'
import { Badge } from '#ui/badge.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuDivider } from '#ui/menu-entries.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { AgentStatus } from '#ui/status.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'
import { TableBody } from '#ui/table-body.tsx'

interface AgentTableProps {
  /** Undefined while loading. */
  readonly agents: readonly Agent[] | undefined
  readonly sort: AgentSort | undefined
  readonly onSort: (sort: AgentSort | undefined) => void
  readonly onDialog: (dialog: AgentDialog) => void
}

export function AgentTable({ agents, sort, onSort, onDialog }: AgentTableProps) {
  const head = (by: AgentSort, order: 'ascending' | 'descending') => ({
    sort: sort === by ? order : undefined,
    onSort: () => onSort(sort === by ? undefined : by),
  })
  return (
    <Table label="Agents">
      <thead>
        <tr>
          <HeaderCell {...head('name', 'ascending')}>Name</HeaderCell>
          <HeaderCell width={150}>Status</HeaderCell>
          <HeaderCell width={110} align="end" priority={1}>
            Latency
          </HeaderCell>
          <HeaderCell width={150} {...head('seen', 'descending')}>
            Last seen
          </HeaderCell>
          <HeaderCell width={90} align="end" priority={1}>
            Targets
          </HeaderCell>
          <HeaderCell width={140} priority={2}>
            Created
          </HeaderCell>
          <HeaderCell width={72}>
            <span className="sr-only">Actions</span>
          </HeaderCell>
        </tr>
      </thead>
      <TableBody>
        {!agents && <SkeletonRows rows={5} columns={7} />}
        {agents?.map((agent) => (
          <tr key={agent.id}>
            <Cell label="Name" primary>
              <CellLink to="/agents/$id" params={{ id: agent.id }} title={agent.name}>
                <span className="ttl truncate font-mono">{agent.name}</span>
                {agent.problems?.length ? (
                  <Badge small variant="yellow" title={agent.problems.join(' ')}>
                    Needs attention
                  </Badge>
                ) : null}
              </CellLink>
            </Cell>
            <Cell label="Status">
              <AgentStatus status={agent.status} />
            </Cell>
            <Cell label="Latency" align="end" priority={1} {...(!agent.latency && { className: 'max-md:hidden!' })}>
              {formatLatency(agent) ?? <span className="text-ink-3">–</span>}
            </Cell>
            <Cell label="Last seen" quiet className="max-md:[&>span:last-child]:lowercase">
              <span className="text-ink-3 md:hidden">Last seen </span>
              <LastSeen agent={agent} />
            </Cell>
            <Cell label="Targets" align="end" priority={1}>
              <span className={agent.targetCount ? undefined : 'text-ink-3'}>
                {formatNumber(agent.targetCount ?? 0)}
              </span>
            </Cell>
            <Cell label="Created" priority={2} quiet className="max-md:hidden!">
              {formatDate(agent.createTime)}
            </Cell>
            <Cell className="right">
              <RowMenu agent={agent} onDialog={onDialog} />
            </Cell>
          </tr>
        ))}
      </TableBody>
    </Table>
  )
}

/** Time since the agent was last seen, or "never". */
export function LastSeen({ agent }: { readonly agent: Pick<Agent, 'lastSeenTime'> }) {
  if (!agent.lastSeenTime) return <span className="text-ink-3">Never</span>
  return <RelativeTime value={agent.lastSeenTime} />
}

function RowMenu({ agent, onDialog }: { readonly agent: Agent } & Pick<AgentTableProps, 'onDialog'>) {
  return (
    <Menu
      call="updateAgent"
      label={`Actions for ${agent.name}`}
      variant="ghost"
      size="xs"
      square
      buttonMark="data-row-menu"
      button={<Ellipsis aria-hidden="true" />}
    >
      <MenuAction icon={<Pencil />} onClick={() => onDialog({ kind: 'rename', agent })}>
        Rename
      </MenuAction>
      <MenuAction icon={<SquareTerminal />} onClick={() => onDialog({ kind: 'install', agent })}>
        Show install command
      </MenuAction>
      <MenuAction call="updateAgent" icon={<ShieldCheck />} onClick={() => onDialog({ kind: 'limit', agent })}>
        Limit access
      </MenuAction>
      <MenuAction call="rotateAgentToken" icon={<KeyRound />} onClick={() => onDialog({ kind: 'rotate', agent })}>
        Rotate token
      </MenuAction>
      <MenuDivider />
      <MenuAction danger call="deleteAgent" icon={<Trash2 />} onClick={() => onDialog({ kind: 'delete', agent })}>
        Delete
      </MenuAction>
    </Menu>
  )
}
