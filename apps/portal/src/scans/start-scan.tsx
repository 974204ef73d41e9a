/** Button and dialog for starting a scan. */
import type { Scan } from '@glacis/contract/scan'
import type { Target } from '@glacis/contract/target'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { errorAdvice } from '#api/advice.ts'
import { targetAddress } from '@glacis/contract/target-address'
import { addToast } from '#ui/toasts.tsx'
import { active, start, startedMessage } from '#scans/queries.ts'
import { all as allTargets } from '#targets/queries.ts'
import { Button, ButtonLink } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Input } from '#ui/field.tsx'
import { RadioCard } from '#ui/radio-card.tsx'
import { Skeleton } from '#ui/skeleton.tsx'

/** Opens a dialog for choosing the target. */
export function StartScanButton() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button variant="primary" size="sm" call="startScan" icon={<Play />} data-key="n" onClick={() => setIsOpen(true)}>
        Start scan
      </Button>
      {isOpen && <StartScanDialog onClose={() => setIsOpen(false)} />}
    </>
  )
}

function StartScanDialog({ onClose }: { readonly onClose: () => void }) {
  const formId = useId()
  const targets = useQuery(allTargets()).data?.targets
  const busy = new Set(useQuery(active()).data?.scans.map(({ target }) => target?.id))
  const isFree = ({ id, pauseTime }: Target) => !busy.has(id) && pauseTime === undefined
  const [chosen, setChosen] = useState<string>()
  // Preselect the only target.
  const [only] = targets?.length === 1 ? targets.filter(isFree) : []
  const targetId = chosen ?? only?.id
  const starting = useMutation(start)
  const onSuccess = ({ scan }: { readonly scan: Scan }) => {
    addToast('success', { title: 'Success', message: startedMessage(scan) })
    onClose()
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (targetId) starting.mutate(targetId, { onSuccess })
  }
  return (
    <Dialog
      open
      onClose={onClose}
      busy={starting.isPending}
      problem={errorAdvice(starting.error)}
      title="Start scan"
      description="Choose the target to scan. Each target can have one active scan."
      footer={
        <>
          <Button onClick={onClose} disabled={starting.isPending}>
            Cancel
          </Button>
          {targets?.length === 0 ? (
            <ButtonLink to="/scope" search={{ create: true }} variant="primary">
              Add target
            </ButtonLink>
          ) : (
            <Button variant="primary" type="submit" form={formId} loading={starting.isPending} disabled={!targetId}>
              Start scan
            </Button>
          )}
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="grid gap-3">
        {!targets && <Skeleton className="w-1/2" />}
        {targets?.length === 0 && <p className="text-ink-2">There are no targets yet. Add one first.</p>}
        {targets && targets.length > 0 && (
          <TargetChoice targets={targets} busy={busy} chosen={targetId} onChoose={setChosen} />
        )}
      </form>
    </Dialog>
  )
}

/** Number of targets at which the search field appears. */
const searchFrom = 8

interface TargetChoiceProps {
  readonly targets: readonly Target[]
  /** IDs of targets with an active scan. */
  readonly busy: ReadonlySet<string | undefined>
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}
function TargetChoice({ targets, busy, chosen, onChoose }: TargetChoiceProps) {
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const isWanted = (target: Target) =>
    `${target.name} ${target.address} ${targetAddress(target)}`.toLowerCase().includes(wanted)
  const found = targets.filter(isWanted)
  return (
    <>
      {targets.length >= searchFrom && (
        <Input
          type="search"
          aria-label="Search targets"
          placeholder="Search targets"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <fieldset className="grid max-h-72 gap-2 overflow-y-auto p-0.5">
        <legend className="sr-only">Target</legend>
        {found.map((target) => (
          <RadioCard
            key={target.id}
            name="target"
            value={target.id}
            label={target.name}
            hint={
              <>
                <span className="font-mono" title={target.address}>
                  {targetAddress(target)}
                </span>
                {busy.has(target.id) ? ', scan in progress' : target.pauseTime && ', paused'}
              </>
            }
            checked={chosen === target.id}
            disabled={busy.has(target.id) || target.pauseTime !== undefined}
            onChange={() => onChoose(target.id)}
          />
        ))}
        {found.length === 0 && <p className="py-2 text-ink-2">No targets match “{text.trim()}”.</p>}
      </fieldset>
    </>
  )
}
