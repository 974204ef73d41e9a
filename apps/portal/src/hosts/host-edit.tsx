/** The form for a host's owner, criticality, and notes. */
import type { Criticality, Host } from '@glacis/contract/host'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { errorAdvice } from '#api/advice.ts'
import { update } from '#hosts/queries.ts'
import { criticalityLabels, hostName } from '#hosts/labels.ts'
import { addToast } from '#ui/toasts.tsx'
import { Button } from '#ui/button.tsx'
import { SlideOver } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { RadioCard } from '#ui/radio-card.tsx'
import { TextAreaField } from '#ui/text-area.tsx'

const choices = Object.entries(criticalityLabels) as [Criticality, string][]

/** Opens when mounted. Sends only the changed fields. */
export function HostEdit({ host, onClose }: { readonly host: Host; readonly onClose: () => void }) {
  const formId = useId()
  const before = {
    owner: host.owner ?? '',
    criticality: host.criticality ?? 'CRITICALITY_NORMAL',
    notes: host.notes ?? '',
  }
  const [draft, setDraft] = useState(before)
  const saving = useMutation(update)
  const names = ['owner', 'criticality', 'notes'] as const
  const paths = names.filter((name) => draft[name] !== before[name])
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (paths.length === 0) return onClose()
    const changed = Object.fromEntries(paths.map((path) => [path, draft[path]])) as Partial<typeof draft> // keys come from `draft`
    saving.mutate(
      { id: host.id, host: changed, updateMask: { paths } },
      {
        onSuccess: () => {
          addToast('success', { title: 'Success', message: `${hostName(host)} saved.` })
          onClose()
        },
      },
    )
  }
  return (
    <SlideOver
      open
      onClose={onClose}
      busy={saving.isPending}
      problem={errorAdvice(saving.error)}
      title={`Edit ${hostName(host)}`}
      description="Scans never change these fields."
      footer={
        <>
          <Button onClick={onClose} disabled={saving.isPending}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} loading={saving.isPending}>
            Save changes
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="grid content-start gap-5">
        <TextField
          label="Owner"
          optional
          autoComplete="off"
          maxLength={200}
          hint="A person or a team"
          value={draft.owner}
          onChange={(event) => setDraft({ ...draft, owner: event.currentTarget.value })}
        />
        <fieldset className="grid gap-1.5">
          <legend className="mb-1.5 leading-4.5 font-medium">Criticality</legend>
          <div className="grid grid-cols-3 gap-2">
            {choices.map(([value, label]) => (
              <RadioCard
                key={value}
                name="criticality"
                label={label}
                checked={draft.criticality === value}
                onChange={() => setDraft({ ...draft, criticality: value })}
              />
            ))}
          </div>
          <p className="text-12 text-ink-3">Raises or lowers the priority of the risks on this asset.</p>
        </fieldset>
        <TextAreaField
          label="Notes"
          optional
          rows={6}
          maxLength={4000}
          value={draft.notes}
          onChange={(event) => setDraft({ ...draft, notes: event.currentTarget.value })}
        />
      </form>
    </SlideOver>
  )
}
