/** Bulk actions; replaces the filters while hosts are selected. */
import type { Host } from '@glacis/contract/host'
import { useMutation } from '@tanstack/react-query'
import { Combine, Play } from 'lucide-react'
import { useState } from 'react'
import { mutationDialogProps } from '#api/advice.ts'
import { merge } from '#hosts/queries.ts'
import { hostName } from '#hosts/labels.ts'
import { formatNumber } from '#lib/format.ts'
import { addToast } from '#ui/toasts.tsx'
import { showStarted, startMany } from '#scans/queries.ts'
import { SelectionBar } from '#ui/selection-bar.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { RadioCard } from '#ui/radio-card.tsx'

interface HostBulkBarProps {
  /** The selected hosts, in list order. */
  readonly hosts: readonly Host[]
  readonly onClear: () => void
}

/** Scans run on targets, so scanning hosts means scanning their targets. */
export function HostBulkBar({ hosts, onClear }: HostBulkBarProps) {
  const [isMerging, setIsMerging] = useState(false)
  const starting = useMutation(startMany)
  const targetIds = [...new Set(hosts.flatMap(({ target }) => target?.id ?? []))]
  const targets = targetIds.length === 1 ? 'their target' : `their ${targetIds.length} targets`
  const start = () =>
    starting.mutate(targetIds, {
      onSuccess: (result) => {
        showStarted(result)
        onClear()
      },
    })
  return (
    <SelectionBar label="Selected assets" onClear={onClear} summary={`${formatNumber(hosts.length)} selected`}>
      <Button
        size="sm"
        call="startScans"
        icon={<Play />}
        loading={starting.isPending}
        disabled={targetIds.length === 0}
        onClick={start}
      >
        Scan {targets}
      </Button>
      <Button
        size="sm"
        call="mergeHosts"
        icon={<Combine />}
        disabled={hosts.length < 2}
        onClick={() => setIsMerging(true)}
      >
        Merge
      </Button>
      {isMerging && <MergeHosts hosts={hosts} onClose={() => setIsMerging(false)} onDone={onClear} />}
    </SelectionBar>
  )
}

interface MergeHostsProps extends Pick<HostBulkBarProps, 'hosts'> {
  readonly onClose: () => void
  readonly onDone: () => void
}
function MergeHosts({ hosts, onClose, onDone }: MergeHostsProps) {
  const [id, setId] = useState(hosts[0]?.id ?? '')
  const merging = useMutation(merge)
  const confirm = () =>
    merging.mutate(
      { id, sourceHostIds: hosts.map((host) => host.id).filter((sourceId) => sourceId !== id) },
      {
        onSuccess: ({ host }) => {
          addToast('success', { title: 'Success', message: `Assets merged into ${hostName(host)}.` })
          onClose()
          onDone()
        },
      },
    )
  return (
    <ConfirmDialog
      open
      {...mutationDialogProps(merging, onClose)}
      title={`Merge ${formatNumber(hosts.length)} assets`}
      description="Use this when several addresses belong to one machine. The asset you choose represents all of them; you can split them again on its page."
      label="Merge"
      variant="primary"
      onConfirm={confirm}
    >
      <fieldset className="grid max-h-72 gap-2 overflow-y-auto p-0.5">
        <legend className="sr-only">Asset to keep</legend>
        {hosts.map((host) => (
          <RadioCard
            key={host.id}
            name="host"
            label={<span className="font-mono">{hostName(host)}</span>}
            hint={host.target?.name}
            checked={id === host.id}
            onChange={() => setId(host.id)}
          />
        ))}
      </fieldset>
    </ConfirmDialog>
  )
}
