import { type Scan, ScanStatus as ScanStatusValue } from '@glacis/contract/scan'
import type { Target } from '@glacis/contract/target'
import { useMutation } from '@tanstack/react-query'
import { Ellipsis, Pencil, Play, Trash2 } from 'lucide-react'
import { addToast } from '#ui/toasts.tsx'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { isActive, start, startedMessage } from '#scans/queries.ts'
import type { ScopeSort } from '#targets/search.ts'
import { targetAddress } from '@glacis/contract/target-address'
import { periodLabels } from '#targets/labels.ts'
import { PauseAction } from '#targets/pause-action.tsx'
import { Badge, tagColor } from '#ui/badge.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuDivider } from '#ui/menu-entries.tsx'
import { RowCheckbox, SelectAllCheckbox, type RowSelection } from '#ui/row-checkbox.tsx'
import { TimeUntil, RelativeTime } from '#ui/relative-time.tsx'
import { SeverityCells, SeverityHeads } from '#ui/severity-columns.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { AgentStatus, ScanStatus } from '#ui/status.tsx'
import { Cell, CellLink, HeaderCell, StackedName, Table } from '#ui/table.tsx'
import { TableBody } from '#ui/table-body.tsx'

interface TargetTableProps {
  /** Undefined while loading. */
  readonly targets: readonly Target[] | undefined
  readonly sort: string | undefined
  /** Undefined if the list can't be sorted. */
  readonly onSort: ((sort: ScopeSort | undefined) => void) | undefined
  readonly onEdit: (target: Target) => void
  readonly onDelete: (target: Target) => void
  readonly picking: RowSelection
}

export function TargetTable({ targets, sort, onSort, onEdit, onDelete, picking }: TargetTableProps) {
  const hasAgents = targets?.some(({ agent, formerAgent }) => agent ?? formerAgent) ?? false
  const head = (by: ScopeSort, order: 'ascending' | 'descending') => ({
    sort: sort === by ? order : undefined,
    ...(onSort && { onSort: () => onSort(sort === by ? undefined : by) }),
  })
  return (
    <Table label="Targets" tall>
      <thead>
        <tr>
          <SelectAllCheckbox picking={picking} count={targets?.length ?? 0} />
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
      <TableBody>
        {!targets && <SkeletonRows columns={10} />}
        {targets?.map((target) => (
          <tr key={target.id} data-row={target.id} aria-selected={picking.selection.ids.has(target.id) || undefined}>
            <RowCheckbox picking={picking} id={target.id} name={target.name} />
            <Cell label="Target" primary>
              <CellLink
                data-row-link
                to="/scope/$id"
                params={{ id: target.id }}
                title={`${target.name}, ${target.address}`}
              >
                <StackedName name={target.name} detail={targetAddress(target)} />
              </CellLink>
            </Cell>
            <Cell label="Tags" priority={2} className={secondOnPhone}>
              <TagList tags={target.tags} max={3} />
            </Cell>
            <Cell label="Schedule" priority={3} quiet className={secondOnPhone}>
              <ScheduleCell target={target} />
            </Cell>
            {hasAgents && (
              <Cell label="Agent" priority={3} className={secondOnPhone}>
                <AgentCell target={target} />
              </Cell>
            )}
            <SeverityCells counts={target.issueCount} />
            <Cell label="Last scan" quiet className={cx(secondOnPhone, 'named')}>
              <LastScan target={target} />
            </Cell>
            <Cell className="right pl-0!">
              <RowMenu target={target} onEdit={onEdit} onDelete={onDelete} />
            </Cell>
          </tr>
        ))}
      </TableBody>
    </Table>
  )
}

/** Schedule and next scan time. */
function ScheduleCell({ target }: { readonly target: Target }) {
  if (target.pauseTime) return <Badge variant="gray">Paused</Badge>
  return (
    <span className="grid max-md:flex max-md:items-baseline max-md:gap-1.5">
      <span>{periodLabels[target.schedule.period]}</span>
      {target.nextScanTime && <TimeUntil value={target.nextScanTime} className="text-12 text-ink-3" />}
    </span>
  )
}

interface TagListProps extends Pick<Target, 'tags'> {
  /** Maximum number of badges; the names of the others are in a tooltip. */
  readonly max?: number
}

/** The tags of a target as colored badges. */
export function TagList({ tags, max = tags.length }: TagListProps) {
  if (tags.length === 0) return null
  const others = tags.slice(max)
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-1 overflow-hidden py-1.5 align-middle max-md:py-0">
      {tags.slice(0, max).map(({ id, name, color }) => (
        <Badge key={id} variant={tagColor(color)} className="max-w-full" title={name}>
          <span className="truncate">{name}</span>
        </Badge>
      ))}
      {others.length > 0 && (
        <span className="text-12 text-ink-3 tabular-nums" title={others.map(({ name }) => name).join(', ')}>
          +{formatNumber(others.length)}
        </span>
      )}
    </span>
  )
}

function AgentCell({ target }: { readonly target: Target }) {
  if (target.formerAgent) return <span className="text-ink-3">{target.formerAgent.name} (deleted)</span>
  if (!target.agent) return <span className="text-ink-3">None</span>
  return (
    <AgentStatus status={target.agent.status}>
      <span className="font-mono">{target.agent.name}</span>
    </AgentStatus>
  )
}

/** Status of the target's last scan; undefined for a status that this version doesn't support. */
export function statusOfLastScan({ lastScan }: Target): ScanStatusValue | undefined {
  const status = ScanStatusValue.safeParse(lastScan?.status)
  return status.success ? status.data : undefined
}

/** On phones, the counts come first, so that they stay on one line. */
const secondOnPhone = 'max-md:order-1'

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
  const starting = useMutation(start)
  const status = statusOfLastScan(target)
  const isRunning = status !== undefined && isActive({ status })
  const isPaused = target.pauseTime !== undefined
  const onSuccess = ({ scan }: { readonly scan: Scan }) =>
    addToast('success', { title: 'Success', message: startedMessage(scan) })
  return (
    <Menu
      call="updateTarget"
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
      <PauseAction target={target} />
      <MenuDivider />
      <MenuAction danger call="deleteTarget" icon={<Trash2 />} onClick={() => onDelete(target)}>
        Delete
      </MenuAction>
    </Menu>
  )
}
