/** What takes the place of the filters while targets are picked. */
import type { SchedulePeriod, Target } from '@glacis/contract/target'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CalendarClock, ChevronDown, Pause, Play, Tags, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { asking } from '#api/advice.ts'
import { formatNumber } from '#lib/format.ts'
import { addToast } from '#lib/toasts.ts'
import { startMany } from '#scans/queries.ts'
import { changeMany, removeMany, tags as tagsQuery } from '#targets/queries.ts'
import { periodWords } from '#targets/words.ts'
import { Badge, tagColour } from '#ui/badge.tsx'
import { PickedBar } from '#ui/picked-bar.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuAction, MenuChoice } from '#ui/menu-entries.tsx'

interface TargetBulkProps {
  /** The picked targets, in the order of the list. */
  readonly targets: readonly Target[]
  /** Keeps only these picked: what was left out, or nothing. */
  readonly onKeep: (ids: readonly string[]) => void
}
type Skipped = readonly { readonly id: string; readonly message: string }[]

/** Tags are added and removed, never replaced; what was left out stays picked and is said. */
export function TargetBulk({ targets, onKeep }: TargetBulkProps) {
  const client = useQueryClient()
  const [isDeleting, setIsDeleting] = useState(false)
  const changing = useMutation(changeMany(client))
  const starting = useMutation(startMany(client))
  const ids = targets.map(({ id }) => id)
  const isBusy = changing.isPending || starting.isPending
  const change = (to: Omit<Parameters<typeof changing.mutate>[0], 'ids'>, words: string) =>
    changing.mutate(
      { ids, ...to },
      { onSuccess: ({ updatedCount, skipped }) => tell(`${words}: ${counted(updatedCount)}.`, skipped) },
    )
  function start(): void {
    starting.mutate(ids, {
      onSuccess: ({ startedCount, skipped }) => {
        tell(`Started ${formatNumber(startedCount)} ${startedCount === 1 ? 'scan' : 'scans'}.`, skipped)
        onKeep(skipped.map(({ id }) => id))
      },
    })
  }
  const areAllPaused = targets.every(({ pauseTime }) => pauseTime)
  return (
    <PickedBar label="Selected targets" words={`${formatNumber(targets.length)} selected`}>
      <Button size="sm" icon={<Play />} loading={starting.isPending} disabled={isBusy} onClick={start}>
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
      <Button size="sm" icon={<Trash2 />} disabled={isBusy} onClick={() => setIsDeleting(true)}>
        Delete
      </Button>
      <span className="ml-auto">
        <Button size="sm" variant="ghost" icon={<X />} onClick={() => onKeep([])}>
          Clear
        </Button>
      </span>
      <DeleteMany targets={isDeleting ? targets : []} onClose={() => setIsDeleting(false)} onDone={() => onKeep([])} />
    </PickedBar>
  )
}

function counted(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'target' : 'targets'}`
}

/** What was done, and what was left out and why. */
function tell(message: string, skipped: Skipped): void {
  if (skipped.length === 0) return void addToast('success', { title: 'Success', message })
  const reasons = [...new Set(skipped.map((one) => one.message))].join(' · ')
  addToast('info', { title: 'Info', message: `${message} ${counted(skipped.length)} left out: ${reasons}` })
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
            <Badge variant={tagColour(color)}>{name}</Badge>
          </MenuChoice>
        ))}
        {known.length === 0 && <p className="px-[9px] py-1.5 text-ink-3">No tag exists yet</p>}
      </div>
    </Menu>
  )
}

function PeriodMenu({ onChoose }: { readonly onChoose: (period: SchedulePeriod) => void }) {
  const periods = Object.entries(periodWords) as [SchedulePeriod, string][]
  return (
    <Menu
      place="bottom start"
      button={
        <>
          <CalendarClock aria-hidden="true" />
          Schedule
          <ChevronDown aria-hidden="true" />
        </>
      }
    >
      {periods.map(([period, words]) => (
        <MenuAction key={period} onClick={() => onChoose(period)}>
          {words}
        </MenuAction>
      ))}
    </Menu>
  )
}

interface DeleteManyProps {
  /** None: closed. */
  readonly targets: readonly Target[]
  readonly onClose: () => void
  readonly onDone: () => void
}
function DeleteMany({ targets, onClose, onDone }: DeleteManyProps) {
  const removal = useMutation(removeMany(useQueryClient()))
  const confirm = () =>
    removal.mutate(
      targets.map(({ id }) => id),
      {
        onSuccess: ({ deletedCount, skipped }) => {
          tell(`Deleted ${counted(deletedCount)}.`, skipped)
          onClose()
          onDone()
        },
      },
    )
  return (
    <ConfirmDialog
      open={targets.length > 0}
      {...asking(removal, onClose)}
      title={`Delete ${counted(targets.length)}`}
      description="Scans of them stop now and none starts any more. Their risks close; they and their scans stay as history. This cannot be undone."
      label="Delete"
      onConfirm={confirm}
    />
  )
}
