/** Bulk actions, shown instead of the filters while targets are selected. */
import type { SchedulePeriod, Target } from '@glacis/contract/target'
import { useMutation, useQuery } from '@tanstack/react-query'
import { CalendarClock, ChevronDown, Pause, Play, Tags, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { mutationDialogProps } from '#api/advice.ts'
import { formatNumber } from '#lib/format.ts'
import { showResult, showStarted, startMany } from '#scans/queries.ts'
import { changeMany, removeMany, tags as tagsQuery } from '#targets/queries.ts'
import { periodLabels } from '#targets/labels.ts'
import { Badge, tagColor } from '#ui/badge.tsx'
import { SelectionBar } from '#ui/selection-bar.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuChoice } from '#ui/menu-entries.tsx'

interface TargetBulkProps {
  /** The selected targets in list order. */
  readonly targets: readonly Target[]
  /** Reduces the selection to these IDs. */
  readonly onKeep: (ids: readonly string[]) => void
}

/** Tags are added and removed, never replaced. After starting scans, skipped targets stay selected. */
export function TargetBulk({ targets, onKeep }: TargetBulkProps) {
  const [isDeleting, setIsDeleting] = useState(false)
  const bulkUpdate = useMutation(changeMany)
  const starting = useMutation(startMany)
  const ids = targets.map(({ id }) => id)
  const isBusy = bulkUpdate.isPending || starting.isPending
  const change = (to: Omit<Parameters<typeof bulkUpdate.mutate>[0], 'ids'>, confirmation: string) =>
    bulkUpdate.mutate(
      { ids, ...to },
      {
        onSuccess: ({ updatedCount, skipped }) =>
          showResult(`${confirmation}: ${formatTargetCount(updatedCount)}.`, skipped),
      },
    )
  function start(): void {
    starting.mutate(ids, {
      onSuccess: (result) => {
        showStarted(result)
        onKeep(result.skipped.map(({ id }) => id))
      },
    })
  }
  const areAllPaused = targets.every(({ pauseTime }) => pauseTime)
  return (
    <SelectionBar
      label="Selected targets"
      onClear={() => onKeep([])}
      summary={`${formatNumber(targets.length)} selected`}
    >
      <Button
        size="sm"
        call="startScans"
        icon={<Play />}
        loading={starting.isPending}
        disabled={isBusy}
        onClick={start}
      >
        Start scan
      </Button>
      <TagMenu
        targets={targets}
        onAdd={(id) => change({ addTags: [{ id }] }, 'Tag added')}
        onRemove={(id) => change({ removeTags: [{ id }] }, 'Tag removed')}
      />
      <PeriodMenu onChoose={(period) => change({ period }, 'Schedule changed')} />
      <Button
        size="sm"
        icon={areAllPaused ? <Play /> : <Pause />}
        disabled={isBusy}
        onClick={() => change({ paused: !areAllPaused }, areAllPaused ? 'Resumed' : 'Paused')}
      >
        {areAllPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button size="sm" call="deleteTargets" icon={<Trash2 />} disabled={isBusy} onClick={() => setIsDeleting(true)}>
        Delete
      </Button>
      <DeleteMany targets={isDeleting ? targets : []} onClose={() => setIsDeleting(false)} onDone={() => onKeep([])} />
    </SelectionBar>
  )
}

function formatTargetCount(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'target' : 'targets'}`
}

interface TagMenuProps {
  readonly targets: readonly Target[]
  readonly onAdd: (id: string) => void
  readonly onRemove: (id: string) => void
}
function TagMenu({ targets, onAdd, onRemove }: TagMenuProps) {
  const known = useQuery(tagsQuery()).data?.tags ?? []
  const isOnAll = (id: string) => targets.every(({ tags }) => tags.some((tag) => tag.id === id))
  return (
    <Menu
      call="changeTargets"
      place="bottom start"
      button={
        <>
          <Tags aria-hidden="true" />
          Tags
          <ChevronDown aria-hidden="true" />
        </>
      }
    >
      <div className="max-h-80 overflow-y-auto">
        {known.map(({ id, name, color }) => (
          <MenuChoice
            key={id}
            kind="checkbox"
            checked={isOnAll(id)}
            onClick={() => (isOnAll(id) ? onRemove(id) : onAdd(id))}
          >
            <Badge variant={tagColor(color)}>{name}</Badge>
          </MenuChoice>
        ))}
        {known.length === 0 && (
          <p className="px-[9px] py-1.5 text-ink-3">No tags yet. Add one when you edit a target.</p>
        )}
      </div>
    </Menu>
  )
}

function PeriodMenu({ onChoose }: { readonly onChoose: (period: SchedulePeriod) => void }) {
  const periods = Object.entries(periodLabels) as [SchedulePeriod, string][]
  return (
    <Menu
      call="changeTargets"
      place="bottom start"
      button={
        <>
          <CalendarClock aria-hidden="true" />
          Schedule
          <ChevronDown aria-hidden="true" />
        </>
      }
    >
      {periods.map(([period, label]) => (
        <MenuAction key={period} onClick={() => onChoose(period)}>
          {label}
        </MenuAction>
      ))}
    </Menu>
  )
}

interface DeleteManyProps {
  /** Empty while the dialog is closed. */
  readonly targets: readonly Target[]
  readonly onClose: () => void
  readonly onDone: () => void
}
function DeleteMany({ targets, onClose, onDone }: DeleteManyProps) {
  const removal = useMutation(removeMany)
  const confirm = () =>
    removal.mutate(
      targets.map(({ id }) => id),
      {
        onSuccess: ({ deletedCount, skipped }) => {
          showResult(`Deleted ${formatTargetCount(deletedCount)}.`, skipped)
          onClose()
          onDone()
        },
      },
    )
  return (
    <ConfirmDialog
      open={targets.length > 0}
      {...mutationDialogProps(removal, onClose)}
      title={`Delete ${formatTargetCount(targets.length)}`}
      description="Running scans stop and no new ones start. Their risks are resolved; their history is kept. This can't be undone."
      label="Delete"
      onConfirm={confirm}
    />
  )
}
