/** The panel in which a target is created or changed. */
import { type SchedulePeriod, type Target } from '@glacis/contract/target'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useRef, useState } from 'react'
import { ApiFailure } from '#api/failure.ts'
import { addToast } from '#lib/toasts.ts'
import { AddressField } from '#targets/address-field.tsx'
import {
  changeBetween,
  creation,
  type DraftField,
  draftOf,
  emptyDraft,
  fieldOf,
  isChanged,
  problemsOf,
  type TargetDraft,
} from '#targets/form.ts'
import { periodWords } from '#targets/words.ts'
import { create, understood, update } from '#targets/queries.ts'
import { TagField } from '#targets/tag-field.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog, SlideOver } from '#ui/dialog.tsx'
import { FieldMessages, RadioCard, TextField } from '#ui/field.tsx'

interface TargetFormProps {
  readonly open: boolean
  readonly onClose: () => void
  /** The target to change; without it a new one is made. */
  readonly target?: Target | undefined
}

/** Creates or changes a target. Unsaved changes ask before the panel closes. */
export function TargetForm({ open, onClose, target }: TargetFormProps) {
  return open ? <Panel key={target?.id ?? 'new'} onClose={onClose} target={target} /> : null
}

const periods = ['PERIOD_DAILY', 'PERIOD_WEEKLY', 'PERIOD_MONTHLY'] as const satisfies readonly SchedulePeriod[]

function Panel({ onClose, target }: Omit<TargetFormProps, 'open'>) {
  const formId = useId()
  const client = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const before = target ? draftOf(target) : emptyDraft
  const [draft, setDraft] = useState(before)
  const [problems, setProblems] = useState<Partial<Record<DraftField, string>>>({})
  const [isAsking, setIsAsking] = useState(false)
  const save = useSave(target, onClose, setProblems)
  const set = (change: Partial<TargetDraft>) => {
    setDraft({ ...draft, ...change })
    setProblems(without(problems, Object.keys(change)))
  }
  const close = () => (isChanged(before, draft) ? setIsAsking(true) : onClose())
  const check = (field: DraftField) => setProblems({ ...problems, [field]: problemsOf(draft)[field] })
  function submit(event: FormEvent): void {
    event.preventDefault()
    // The live check has read the address already: what it refuses need not be sent.
    const reading = client.getQueryData(understood(draft.address.trim()).queryKey)?.results[0]
    const found = { ...(reading?.error && { address: reading.error }), ...problemsOf(draft) }
    setProblems(found)
    if (Object.keys(found).length === 0) save.send(before, draft)
    else focusFirst(form.current, found)
  }
  return (
    <SlideOver
      open
      onClose={close}
      busy={save.isPending}
      title={target ? `Edit ${target.name}` : 'New target'}
      description={target ? target.address : 'A host, an address or a range that you own.'}
      footer={
        <>
          <Button onClick={close} disabled={save.isPending}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} loading={save.isPending}>
            {target ? 'Save changes' : 'Create target'}
          </Button>
        </>
      }
    >
      <form ref={form} id={formId} noValidate onSubmit={submit} className="grid content-start gap-5">
        <TextField
          label="Name"
          name="name"
          required
          data-autofocus={!target || undefined}
          maxLength={256}
          hint="1 to 128 characters"
          value={draft.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          onBlur={() => draft.name !== '' && check('name')}
          state={problems.name ? 'error' : 'default'}
          messages={problems.name ? [problems.name] : []}
        />
        {!target && (
          <AddressField value={draft.address} onChange={(address) => set({ address })} problem={problems.address} />
        )}
        <PeriodField value={draft.period} onChange={(period) => set({ period })} problem={problems.period} />
        <TagField value={draft.tags} onChange={(tags) => set({ tags })} problem={problems.tags} />
      </form>
      <Discard open={isAsking} onKeep={() => setIsAsking(false)} onDiscard={onClose} />
    </SlideOver>
  )
}

type Tell = (problems: Partial<Record<DraftField, string>>) => void

/** Sends the draft; what the server refuses lands on its field. */
function useSave(target: Target | undefined, onDone: () => void, onProblems: Tell) {
  const client = useQueryClient()
  const making = useMutation(create(client))
  const changing = useMutation(update(client))
  const done = (name: string) => {
    addToast('success', { title: 'Success', message: target ? `${name} is saved.` : `${name} is registered.` })
    onDone()
  }
  const onError = (error: Error) => onProblems(error instanceof ApiFailure ? byField(error) : {})
  function send(before: TargetDraft, draft: TargetDraft): void {
    if (!target) return making.mutate(creation(draft), { onError, onSuccess: (answer) => done(answer.target.name) })
    const change = changeBetween(target.id, before, draft)
    if (!change) return onDone()
    changing.mutate(change, { onError, onSuccess: (answer) => done(answer.target.name) })
  }
  return { send, isPending: making.isPending || changing.isPending }
}

function byField(failure: ApiFailure): Partial<Record<DraftField, string>> {
  const problems: Partial<Record<DraftField, string>> = {}
  for (const [path, description] of failure.fieldErrors) {
    const field = fieldOf(path)
    if (field) problems[field] = description
  }
  return problems
}

function without(problems: Partial<Record<DraftField, string>>, fields: readonly string[]) {
  return Object.fromEntries(Object.entries(problems).filter(([field]) => !fields.includes(field)))
}

function focusFirst(form: HTMLFormElement | null, problems: Partial<Record<DraftField, string>>): void {
  const inputs = form?.querySelectorAll<HTMLInputElement>('input') ?? []
  inputs[problems.name ? 0 : 1]?.focus()
}

interface PeriodFieldProps {
  readonly value: SchedulePeriod
  readonly onChange: (period: SchedulePeriod) => void
  readonly problem: string | undefined
}
function PeriodField({ value, onChange, problem }: PeriodFieldProps) {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 leading-4.5 font-medium">Schedule</legend>
      <div className="grid grid-cols-3 gap-2 max-[24rem]:grid-cols-1">
        {periods.map((period) => (
          <RadioCard
            key={period}
            name="period"
            label={periodWords[period]}
            checked={value === period}
            onChange={() => onChange(period)}
          />
        ))}
      </div>
      {problem && <FieldMessages messages={[problem]} state="error" />}
    </fieldset>
  )
}

interface DiscardProps {
  readonly open: boolean
  readonly onKeep: () => void
  readonly onDiscard: () => void
}
function Discard({ open, onKeep, onDiscard }: DiscardProps) {
  return (
    <Dialog
      open={open}
      onClose={onKeep}
      title="Discard changes"
      description="What you entered has not been saved."
      footer={
        <>
          <Button onClick={onKeep}>Keep editing</Button>
          <Button variant="danger" onClick={onDiscard}>
            Discard
          </Button>
        </>
      }
    />
  )
}
