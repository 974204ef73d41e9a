/** The panel in which a target is created or changed. */
import type { Target } from '@glacis/contract/target'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useRef, useState } from 'react'
import { adviceOf } from '#api/advice.ts'
import { ApiFailure } from '#api/failure.ts'
import { addToast } from '#lib/toasts.ts'
import { useUnsent } from '#lib/use-unsent.ts'
import { startAndTell, startManyAndTell, startsMax } from '#scans/queries.ts'
import { AddressField } from '#targets/address-field.tsx'
import { AgentField } from '#targets/agent-field.tsx'
import { Discard } from '#targets/discard.tsx'
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
import { ManyFields, ManyFoot } from '#targets/many-fields.tsx'
import { MoreSettings } from '#targets/more-settings.tsx'
import { OnlyOne, PasteList } from '#targets/paste-list.tsx'
import { askPermission, PermissionField } from '#targets/permission-field.tsx'
import { create, understood, update } from '#targets/queries.ts'
import { HoursField, PeriodField } from '#targets/schedule-field.tsx'
import { focusFirst } from '#targets/settled.ts'
import { TagField } from '#targets/tag-field.tsx'
import { useMany } from '#targets/use-many.ts'
import { shownAddress } from '#targets/words.ts'
import { Button } from '#ui/button.tsx'
import { SlideOver } from '#ui/dialog.tsx'
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
  const [draft, setDraft] = useUnsent(`target ${target?.id ?? ''}`, before)
  const [problems, setProblems] = useState<Problems>({})
  const [isAsking, setIsAsking] = useState(false)
  const save = useSave(target, onClose, setProblems)
  const set = (change: Partial<TargetDraft>) => {
    setDraft({ ...draft, ...change })
    setProblems(without(problems, Object.keys(change)))
  }
  const [isMany, setIsMany] = useUnsent('targets as a list', false)
  const many = useMany({
    isOpen: isMany,
    draft,
    onDone: ({ made, message }) => {
      const ids = made.map(({ id }) => id)
      const action = { label: 'Scan now', run: () => void startManyAndTell(client, ids) }
      addToast('success', { title: 'Success', message, ...(ids.length <= startsMax && { action }) })
      onClose()
    },
  })
  // Of what was chosen for a list nothing is lost once the list is empty.
  const isUnsaved = isMany ? draft.name + draft.address !== '' : isChanged(before, draft)
  const close = () => (isUnsaved || many.text.trim() !== '' ? setIsAsking(true) : onClose())
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
  function sendMany(event: FormEvent): void {
    event.preventDefault()
    void many.send().then(() => focusFirst(form.current))
  }
  function backToOne(): void {
    setIsMany(false)
    requestAnimationFrame(() => form.current?.querySelector('input')?.focus())
  }
  function pasteList(list: string | undefined): void {
    if (list !== undefined) {
      many.write(list)
      set({ address: '' })
    }
    setIsMany(true)
  }
  const shared = (
    <>
      <PeriodField value={draft.period} onChange={(period) => set({ period })} problem={problems.period} />
      <AgentField
        value={draft.agentId}
        onChange={(agentId) => set({ agentId })}
        problem={problems.agentId}
        former={target?.formerAgent?.name}
      />
      <TagField value={draft.tags} onChange={(tags) => set({ tags })} problem={problems.tags} />
    </>
  )
  const asking = <Discard open={isAsking} onKeep={() => setIsAsking(false)} onDiscard={onClose} />
  if (isMany) {
    const back = <OnlyOne onPress={backToOne} />
    return (
      <SlideOver
        open
        onClose={close}
        busy={many.isBusy}
        title="New targets"
        description="Each is named after its address. What you choose below holds for all."
        footer={<ManyFoot many={many} formId={formId} onClose={close} />}
      >
        <form id={formId} ref={form} noValidate onSubmit={sendMany} className="grid content-start gap-5">
          <ManyFields many={many} aside={back}>
            {shared}
          </ManyFields>
        </form>
        {asking}
      </SlideOver>
    )
  }
  return (
    <SlideOver
      open
      onClose={close}
      busy={save.isPending}
      problem={adviceOf(save.error)}
      title={target ? `Edit ${target.name}` : 'New target'}
      description={target ? shownAddress(target) : 'A host, an address or a range that you own.'}
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
          <AddressField
            value={draft.address}
            onChange={(address) => set({ address })}
            problem={problems.address}
            aside={<PasteList address={draft.address} onPress={pasteList} />}
          />
        )}
        {!target && (
          <PermissionField
            address={draft.address}
            value={draft.isPermitted}
            onChange={(isPermitted) => set({ isPermitted })}
            problem={problems.isPermitted}
          />
        )}
        {shared}
        <MoreSettings
          startsOpen={hasMore(before)}
          mustShow={mannerFields.some((field) => problems[field] !== undefined)}
        >
          <HoursField value={draft.hours} onChange={(hours) => set({ hours })} problem={problems.hours} />
          <MannerFields draft={draft} problems={problems} onChange={set} />
        </MoreSettings>
      </form>
      {asking}
    </SlideOver>
  )
}

/** The fields that stand behind "More settings". */
const mannerFields = ['hours', 'profile', 'rate', 'ports', 'exclusions'] as const satisfies readonly DraftField[]

/** True when one of them says something of its own. */
function hasMore(draft: TargetDraft): boolean {
  return mannerFields.some((field) => draft[field] !== emptyDraft[field])
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
  return { send, isPending: making.isPending || changing.isPending, error: making.error ?? changing.error }
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
