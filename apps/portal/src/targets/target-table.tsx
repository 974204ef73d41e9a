/** The table of targets. */
import { type Scan, ScanStatus as ScanStatusValue } from '@glacis/contract/scan'
import type { Target } from '@glacis/contract/target'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, Pencil, Play, Trash2 } from 'lucide-react'
import { addToast } from '#lib/toasts.ts'
import { isActive, start, startedWords } from '#scans/queries.ts'
import type { ScopeSort } from '#targets/search.ts'
import { periodWords, shownAddress } from '#targets/words.ts'
import { Badge, tagColour } from '#ui/badge.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuLine } from '#ui/menu-entries.tsx'
import { Pick, PickAll, type Picking } from '#ui/pick.tsx'
import { AheadTime, RelativeTime } from '#ui/relative-time.tsx'
import { SeverityCells, SeverityHeads } from '#ui/severity-columns.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { AgentStatus, ScanStatus } from '#ui/status.tsx'
import { Cell, CellLink, HeaderCell, StackedName, Table } from '#ui/table.tsx'
import { lengthOf, TableRows } from '#ui/table-rows.tsx'

interface TargetTableProps {
  /** Undefined while they are on their way. */
  readonly targets: readonly Target[] | undefined
  readonly sort: string | undefined
  /** Absent when only a part of the list is here. */
  readonly onSort: ((sort: ScopeSort | undefined) => void) | undefined
  readonly onEdit: (target: Target) => void
  readonly onDelete: (target: Target) => void
  readonly picking: Picking
}

export function TargetTable({ targets, sort, onSort, onEdit, onDelete, picking }: TargetTableProps) {
  const hasAgents = targets?.some(({ agent, formerAgent }) => agent ?? formerAgent) ?? false
  const head = (by: ScopeSort, order: 'ascending' | 'descending') => ({
    sort: sort === by ? order : undefined,
    ...(onSort && { onSort: () => onSort(sort === by ? undefined : by) }),
  })
  return (
    <Table label="Targets" tall {...lengthOf(targets)}>
      <thead>
        <tr>
          <PickAll picking={picking} count={targets?.length ?? 0} />
          <HeaderCell {...head('name', 'ascending')}>Target</HeaderCell>
          <HeaderCell className="w-[clamp(110px,30cqi-200px,220px)]" priority={2}>
            Tags
          </HeaderCell>
          <HeaderCell width={116} priority={3}>
            Schedule
          </HeaderCell>
          {hasAgents && (
            <HeaderCell width={150} priority={3}>
              Agent
            </HeaderCell>
          )}
          <SeverityHeads />
          <HeaderCell width={124} {...head('scan', 'descending')}>
            Last scan
          </HeaderCell>
          <HeaderCell width={60} className="pl-0!">
            <span className="sr-only">Actions</span>
          </HeaderCell>
        </tr>
      </thead>
      <TableRows
        items={targets}
        idOf={({ id }) => id}
        drawnFrom={[targets, hasAgents, picking.selection, onEdit, onDelete]}
        skeleton={<SkeletonRows columns={10} />}
      >
        {(target, place) => (
          <tr {...place} data-row={target.id} aria-selected={picking.selection.ids.has(target.id) || undefined}>
            <Pick picking={picking} id={target.id} name={target.name} />
            <Cell label="Target" primary>
              <CellLink
                data-row-link
                to="/scope/$id"
                params={{ id: target.id }}
                title={`${target.name}, ${target.address}`}
              >
                <StackedName name={target.name} detail={shownAddress(target)} />
              </CellLink>
            </Cell>
            <Cell label="Tags" priority={2}>
              <TagList tags={target.tags} />
            </Cell>
            <Cell label="Schedule" priority={3} quiet>
              <When target={target} />
            </Cell>
            {hasAgents && (
              <Cell label="Agent" priority={3}>
                <AgentOf target={target} />
              </Cell>
            )}
            <SeverityCells counts={target.issueCount} />
            <Cell label="Last scan" quiet>
              <LastScan target={target} />
            </Cell>
            <Cell className="right pl-0!">
              <RowMenu target={target} onEdit={onEdit} onDelete={onDelete} />
            </Cell>
          </tr>
        )}
      </TableRows>
    </Table>
  )
}

/** How often, and when it is due next. */
function When({ target }: { readonly target: Target }) {
  if (target.pauseTime) return <Badge variant="gray">Paused</Badge>
  return (
    <span className="grid max-md:flex max-md:items-baseline max-md:gap-1.5">
      <span>{periodWords[target.schedule.period]}</span>
      {target.nextScanTime && <AheadTime value={target.nextScanTime} className="text-12 text-ink-3" />}
    </span>
  )
}

/** The tags of a target in their own colours. */
export function TagList({ tags }: Pick<Target, 'tags'>) {
  if (tags.length === 0) return null
  return (
    <span className="inline-flex max-w-full flex-wrap gap-1 overflow-hidden py-1.5 align-middle max-md:py-0">
      {tags.map(({ id, name, color }) => (
        <Badge key={id} variant={tagColour(color)}>
          {name}
        </Badge>
      ))}
    </span>
  )
}

function AgentOf({ target }: { readonly target: Target }) {
  if (target.formerAgent) return <span className="text-ink-3">{target.formerAgent.name} (deleted)</span>
  if (!target.agent) return <span className="text-ink-3">None</span>
  return (
    <AgentStatus status={target.agent.status}>
      <span className="font-mono">{target.agent.name}</span>
    </AgentStatus>
  )
}

/** The target carries the word of its last scan; a word of a later version is shown as nothing. */
export function statusOfLastScan({ lastScan }: Target): ScanStatusValue | undefined {
  const status = ScanStatusValue.safeParse(lastScan?.status)
  return status.success ? status.data : undefined
}

export function LastScan({ target }: { readonly target: Target }) {
  const status = statusOfLastScan(target)
  if (!target.lastScan) return <span className="text-ink-3">Never</span>
  const time = <RelativeTime value={target.lastScan.completeTime ?? target.lastScan.createTime} />
  if (!status || status === 'STATUS_COMPLETED') return time
  if (isActive({ status }))
    return <ScanStatus status={status}>{status === 'STATUS_RUNNING' ? 'Scanning' : 'Waiting'}</ScanStatus>
  return <ScanStatus status={status}>{time}</ScanStatus>
}

function RowMenu({
  target,
  onEdit,
  onDelete,
}: { readonly target: Target } & Pick<TargetTableProps, 'onEdit' | 'onDelete'>) {
  const starting = useMutation(start(useQueryClient()))
  const status = statusOfLastScan(target)
  const isRunning = status !== undefined && isActive({ status })
  const isPaused = target.pauseTime !== undefined
  const onSuccess = ({ scan }: { readonly scan: Scan }) =>
    addToast('success', { title: 'Success', message: startedWords(scan) })
  return (
    <Menu
      label={`Actions for ${target.name}`}
      variant="ghost"
      size="xs"
      square
      buttonMark="data-row-menu"
      button={<Ellipsis aria-hidden="true" />}
    >
      <MenuAction
        icon={<Play />}
        disabled={isRunning || isPaused || starting.isPending}
        end={isRunning ? 'running' : isPaused && 'paused'}
        onClick={() => starting.mutate(target.id, { onSuccess })}
      >
        Start scan
      </MenuAction>
      <MenuAction icon={<Pencil />} onClick={() => onEdit(target)}>
        Edit
      </MenuAction>
      <MenuLine />
      <MenuAction danger icon={<Trash2 />} onClick={() => onDelete(target)}>
        Delete
      </MenuAction>
    </Menu>
  )
}
