/** The panel in which a target is created or changed. */
import type { Target } from '@glacis/contract/target'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react'
import { ApiFailure } from '#api/failure.ts'
import { addToast } from '#lib/toasts.ts'
import { startAndTell } from '#scans/queries.ts'
import { AddressField } from '#targets/address-field.tsx'
import { AgentField } from '#targets/agent-field.tsx'
import {
  changeBetween,
  creation,
  type DraftField,
  draftOf,
  emptyDraft,
  fieldOf,
  isChanged,
  type Problems,
  problemsOf,
  type TargetDraft,
} from '#targets/form.ts'
import { MannerFields } from '#targets/manner-fields.tsx'
import { askPermission, PermissionField } from '#targets/permission-field.tsx'
import { create, understood, update } from '#targets/queries.ts'
import { HoursField, PeriodField } from '#targets/schedule-field.tsx'
import { TagField } from '#targets/tag-field.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog, SlideOver } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'

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

function Panel({ onClose, target }: Omit<TargetFormProps, 'open'>) {
  const formId = useId()
  const client = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const before = target ? draftOf(target) : emptyDraft
  const [draft, setDraft] = useState(before)
  const [problems, setProblems] = useState<Problems>({})
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
    const found = {
      ...(reading?.error && { address: reading.error }),
      ...(!target && reading?.private === false && !draft.isPermitted && { isPermitted: askPermission }),
      ...problemsOf(draft),
    }
    setProblems(found)
    if (Object.keys(found).length === 0) save.send(before, draft)
    else focusFirst(form.current)
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
        {!target && (
          <PermissionField
            address={draft.address}
            value={draft.isPermitted}
            onChange={(isPermitted) => set({ isPermitted })}
            problem={problems.isPermitted}
          />
        )}
        <PeriodField value={draft.period} onChange={(period) => set({ period })} problem={problems.period} />
        <AgentField
          value={draft.agentId}
          onChange={(agentId) => set({ agentId })}
          problem={problems.agentId}
          former={target?.formerAgent?.name}
        />
        <TagField value={draft.tags} onChange={(tags) => set({ tags })} problem={problems.tags} />
        <MoreSettings
          startsOpen={hasMore(before)}
          mustShow={mannerFields.some((field) => problems[field] !== undefined)}
        >
          <HoursField value={draft.hours} onChange={(hours) => set({ hours })} problem={problems.hours} />
          <MannerFields draft={draft} problems={problems} onChange={set} />
        </MoreSettings>
      </form>
      <Discard open={isAsking} onKeep={() => setIsAsking(false)} onDiscard={onClose} />
    </SlideOver>
  )
}

/** The fields that stand behind "More settings". */
const mannerFields = ['hours', 'profile', 'rate', 'ports', 'exclusions'] as const satisfies readonly DraftField[]

/** True when one of them says something of its own. */
function hasMore(draft: TargetDraft): boolean {
  return mannerFields.some((field) => draft[field] !== emptyDraft[field])
}

interface MoreSettingsProps {
  /** Something is set; a person may close it. */
  readonly startsOpen: boolean
  /** Something is wrong in it. */
  readonly mustShow: boolean
  readonly children: ReactNode
}
function MoreSettings({ startsOpen, mustShow, children }: MoreSettingsProps) {
  const [isOpen, setIsOpen] = useState(startsOpen)
  return (
    <details
      open={mustShow || isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className="group border-t border-line pt-4"
    >
      <summary className="flex cursor-pointer list-none items-center gap-2 rounded-[4px] font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-4 text-ink-3 transition-transform group-open:rotate-90" aria-hidden="true" />
        More settings
        <span className="font-normal text-ink-3">hours, pace, ports, exclusions</span>
      </summary>
      <div className="grid gap-5 pt-4">{children}</div>
    </details>
  )
}

type Tell = (problems: Problems) => void

/** Sends the draft; what the server refuses lands on its field. */
function useSave(target: Target | undefined, onDone: () => void, onProblems: Tell) {
  const client = useQueryClient()
  const making = useMutation(create(client))
  const changing = useMutation(update(client))
  const done = ({ target: { id, name } }: { readonly target: Target }) => {
    // Whoever has just named a target most often wants to see what is there, and not in a week.
    const action = { label: 'Scan now', run: () => void startAndTell(client, id) }
    if (target) addToast('success', { title: 'Success', message: `${name} is saved.` })
    else addToast('success', { title: 'Success', message: `${name} is registered.`, action })
    onDone()
  }
  const onError = (error: Error) => onProblems(error instanceof ApiFailure ? byField(error) : {})
  function send(before: TargetDraft, draft: TargetDraft): void {
    if (!target) return making.mutate(creation(draft), { onError, onSuccess: done })
    const change = changeBetween(target.id, before, draft)
    if (!change) return onDone()
    changing.mutate(change, { onError, onSuccess: done })
  }
  return { send, isPending: making.isPending || changing.isPending }
}

function byField(failure: ApiFailure): Problems {
  const problems: Partial<Record<DraftField, string>> = {}
  for (const [path, description] of failure.fieldErrors) {
    const field = fieldOf(path)
    if (field) problems[field] = description
  }
  return problems
}

function without(problems: Problems, fields: readonly string[]): Problems {
  return Object.fromEntries(Object.entries(problems).filter(([field]) => !fields.includes(field)))
}

/** The field of the first problem, once it is on the page. */
function focusFirst(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid] input')?.focus())
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
