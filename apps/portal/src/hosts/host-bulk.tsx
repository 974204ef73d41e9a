/** What takes the place of the filters while hosts are picked. */
import type { Host } from '@glacis/contract/host'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Combine, Play, X } from 'lucide-react'
import { useState } from 'react'
import { asking } from '#api/advice.ts'
import { merge } from '#hosts/queries.ts'
import { nameOf } from '#hosts/words.ts'
import { formatNumber } from '#lib/format.ts'
import { addToast } from '#lib/toasts.ts'
import { startMany } from '#scans/queries.ts'
import { PickedBar } from '#ui/picked-bar.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { RadioCard } from '#ui/radio-card.tsx'

interface HostBulkProps {
  /** The picked hosts, in the order of the list. */
  readonly hosts: readonly Host[]
  readonly onClear: () => void
}

/** Hosts are found, not typed: a scan of them is a scan of their targets. */
export function HostBulk({ hosts, onClear }: HostBulkProps) {
  const [isMerging, setIsMerging] = useState(false)
  const starting = useMutation(startMany(useQueryClient()))
  const targetIds = [...new Set(hosts.flatMap(({ target }) => target?.id ?? []))]
  const scans = targetIds.length === 1 ? 'scan of their target' : `scans of their ${targetIds.length} targets`
  const start = () =>
    starting.mutate(targetIds, {
      onSuccess: ({ startedCount, skipped }) => {
        const left = skipped.length > 0 ? ` ${formatNumber(skipped.length)} left out: ${skipped[0]?.message ?? ''}` : ''
        addToast(skipped.length > 0 ? 'info' : 'success', {
          title: skipped.length > 0 ? 'Info' : 'Success',
          message: `Started ${formatNumber(startedCount)} ${startedCount === 1 ? 'scan' : 'scans'}.${left}`,
        })
        onClear()
      },
    })
  return (
    <PickedBar label="Selected assets" words={`${formatNumber(hosts.length)} selected`}>
      <Button size="sm" icon={<Play />} loading={starting.isPending} disabled={targetIds.length === 0} onClick={start}>
        Start {scans}
      </Button>
      <Button size="sm" icon={<Combine />} disabled={hosts.length < 2} onClick={() => setIsMerging(true)}>
        Merge
      </Button>
      <span className="ml-auto">
        <Button size="sm" variant="ghost" icon={<X />} onClick={onClear}>
          Clear
        </Button>
      </span>
      {isMerging && <MergeHosts hosts={hosts} onClose={() => setIsMerging(false)} onDone={onClear} />}
    </PickedBar>
  )
}

interface MergeHostsProps extends Pick<HostBulkProps, 'hosts'> {
  readonly onClose: () => void
  readonly onDone: () => void
}
function MergeHosts({ hosts, onClose, onDone }: MergeHostsProps) {
  const [id, setId] = useState(hosts[0]?.id ?? '')
  const merging = useMutation(merge(useQueryClient()))
  const confirm = () =>
    merging.mutate(
      { id, sourceHostIds: hosts.map((host) => host.id).filter((one) => one !== id) },
      {
        onSuccess: ({ host }) => {
          addToast('success', { title: 'Success', message: `${nameOf(host)} stands for all of them now.` })
          onClose()
          onDone()
        },
      },
    )
  return (
    <ConfirmDialog
      open
      {...asking(merging, onClose)}
      title={`Merge ${formatNumber(hosts.length)} assets`}
      description="They are one machine under several addresses. The chosen one stands for all; its page can split them again."
      label="Merge"
      variant="primary"
      onConfirm={confirm}
    >
      <fieldset className="grid max-h-72 gap-2 overflow-y-auto p-0.5">
        <legend className="sr-only">The asset that stands for all</legend>
        {hosts.map((host) => (
          <RadioCard
            key={host.id}
            name="host"
            label={<span className="font-mono">{nameOf(host)}</span>}
            hint={host.target?.name}
            checked={id === host.id}
            onChange={() => setId(host.id)}
          />
        ))}
      </fieldset>
    </ConfirmDialog>
  )
}
