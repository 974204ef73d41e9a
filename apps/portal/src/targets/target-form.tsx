/** Slide-over panel for creating or editing a target. */
import type { Target } from '@glacis/contract/target'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useRef, useState } from 'react'
import { errorAdvice } from '#api/advice.ts'
import { ApiFailure } from '#api/failure.ts'
import { addToast } from '#ui/toasts.tsx'
import { useDraft } from '#lib/use-draft.ts'
import { startWithToast, startManyWithToast, maxStarts } from '#scans/queries.ts'
import { AddressField } from '#targets/address-field.tsx'
import { AgentField } from '#targets/agent-field.tsx'
import {
  toUpdateBody,
  toCreateBody,
  type DraftField,
  toDraft,
  emptyDraft,
  toFieldErrors,
  isChanged,
  type FieldErrors,
  validate,
  type TargetDraft,
} from '#targets/form.ts'
import { ScanSettingsFields } from '#targets/scan-settings-fields.tsx'
import { AddressListFields, AddressListFooter } from '#targets/address-list-fields.tsx'
import { MoreSettings } from '#targets/more-settings.tsx'
import { SingleTargetLink, PasteListLink } from '#targets/list-links.tsx'
import { OwnerField } from '#targets/owner-field.tsx'
import { permissionError, PermissionField } from '#targets/permission-field.tsx'
import { create, parsedAddress, update } from '#targets/queries.ts'
import { HoursField, PeriodField } from '#targets/schedule-field.tsx'
import { focusFirstInvalid } from '#targets/debounce.ts'
import { TagField } from '#targets/tag-field.tsx'
import { useAddressList } from '#targets/use-address-list.ts'
import { targetAddress } from '@glacis/contract/target-address'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { SlideOver } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'

interface TargetFormProps {
  readonly open: boolean
  readonly onClose: () => void
  /** The target to edit; undefined to create one. */
  readonly target?: Target | undefined
}

/** Creates or edits a target. Closing with unsaved changes asks for confirmation. */
export function TargetForm({ open, onClose, target }: TargetFormProps) {
  return open ? <Panel key={target?.id ?? 'new'} onClose={onClose} target={target} /> : null
}

function Panel({ onClose, target }: Omit<TargetFormProps, 'open'>) {
  const formId = useId()
  const client = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const before = target ? toDraft(target) : emptyDraft
  const [draft, setDraft] = useDraft(`target ${target?.id ?? ''}`, before)
  const [problems, setProblems] = useState<FieldErrors>({})
  const [isAsking, setIsAsking] = useState(false)
  const save = useSave(target, onClose, setProblems)
  const set = (change: Partial<TargetDraft>) => {
    setDraft({ ...draft, ...change })
    setProblems(withoutFields(problems, Object.keys(change)))
  }
  const [isMany, setIsMany] = useDraft('targets as a list', false)
  const many = useAddressList({
    isOpen: isMany,
    draft,
    onDone: ({ made, message }) => {
      const ids = made.map(({ id }) => id)
      const action = { label: 'Scan now', run: () => void startManyWithToast(client, ids) }
      addToast('success', { title: 'Success', message, ...(ids.length <= maxStarts && { actions: [action] }) })
      onClose()
    },
  })
  // With an empty list, the fields shared by all targets aren't worth a confirmation.
  const isUnsaved = isMany ? draft.name + draft.address !== '' : isChanged(before, draft)
  const close = () => (isUnsaved || many.text.trim() !== '' ? setIsAsking(true) : onClose())
  const check = (field: DraftField) => setProblems({ ...problems, [field]: validate(draft)[field] })
  function submit(event: FormEvent): void {
    event.preventDefault()
    // Reuses the live check's result to avoid sending an address that the server would reject.
    const reading = client.getQueryData(parsedAddress(draft.address.trim()).queryKey)?.results[0]
    const found = {
      ...(reading?.error && { address: reading.error }),
      ...(!target && reading?.private === false && !draft.isPermitted && { isPermitted: permissionError }),
      ...validate(draft),
    }
    setProblems(found)
    if (Object.keys(found).length === 0) save.send(before, draft)
    else focusFirstInvalid(form.current)
  }
  function sendMany(event: FormEvent): void {
    event.preventDefault()
    void many.send().then(() => focusFirstInvalid(form.current))
  }
  function switchToSingle(): void {
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
  const discardDialog = (
    <ConfirmDialog
      open={isAsking}
      onClose={() => setIsAsking(false)}
      title="Discard changes?"
      description="Your changes haven't been saved and will be lost."
      label="Discard"
      keep="Keep editing"
      onConfirm={onClose}
    />
  )
  if (isMany) {
    const back = <SingleTargetLink onPress={switchToSingle} />
    return (
      <SlideOver
        open
        onClose={close}
        busy={many.isBusy}
        title="New targets"
        description="Each target is named after its address. The settings below apply to all of them."
        footer={<AddressListFooter many={many} formId={formId} onClose={close} />}
      >
        <form id={formId} ref={form} noValidate onSubmit={sendMany} className="grid content-start gap-5">
          <AddressListFields many={many} aside={back}>
            {shared}
          </AddressListFields>
        </form>
        {discardDialog}
      </SlideOver>
    )
  }
  return (
    <SlideOver
      open
      onClose={close}
      busy={save.isPending}
      problem={errorAdvice(save.error)}
      title={target ? `Edit ${target.name}` : 'New target'}
      description={
        target ? (
          <span className="font-mono">{targetAddress(target)}</span>
        ) : (
          "A host, address, or range you're authorized to scan."
        )
      }
      footer={
        <>
          <Button onClick={close} disabled={save.isPending}>
            Cancel
          </Button>
          <Button
            variant="primary"
            type="submit"
            call={target ? 'updateTarget' : 'createTarget'}
            form={formId}
            loading={save.isPending}
          >
            {target ? 'Save changes' : 'Add target'}
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
            hasAgent={draft.agentId !== ''}
            aside={<PasteListLink address={draft.address} onPress={pasteList} />}
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
        <OwnerField
          value={draft.ownerId}
          onChange={(ownerId) => set({ ownerId })}
          problem={problems.ownerId}
          former={target?.owner}
        />
        <MoreSettings
          startsOpen={hasAdvancedSettings(before)}
          mustShow={advancedFields.some((field) => problems[field] !== undefined)}
        >
          <HoursField value={draft.hours} onChange={(hours) => set({ hours })} problem={problems.hours} />
          <ScanSettingsFields draft={draft} problems={problems} onChange={set} />
        </MoreSettings>
      </form>
      {discardDialog}
    </SlideOver>
  )
}

/** The fields inside "More settings". */
const advancedFields = ['hours', 'profile', 'rate', 'ports', 'exclusions'] as const satisfies readonly DraftField[]

/** True if any of them differs from its default. */
function hasAdvancedSettings(draft: TargetDraft): boolean {
  return draft.permissions.length > 0 || advancedFields.some((field) => draft[field] !== emptyDraft[field])
}

type SetErrors = (problems: FieldErrors) => void

/** Saves the draft and maps the server's errors to fields. */
function useSave(target: Target | undefined, onDone: () => void, onProblems: SetErrors) {
  const client = useQueryClient()
  const creation = useMutation(create)
  const updateMutation = useMutation(update)
  const done = ({ target: { id, name } }: { readonly target: Target }) => {
    // Offer a scan now, because the schedule may start the first one only in a week.
    const action = { label: 'Scan now', run: () => void startWithToast(client, id) }
    if (target) addToast('success', { title: 'Success', message: `${name} was saved.` })
    else addToast('success', { title: 'Success', message: `${name} was added.`, actions: [action] })
    onDone()
  }
  const onError = (error: Error) => onProblems(error instanceof ApiFailure ? toFieldErrors(error) : {})
  function send(before: TargetDraft, draft: TargetDraft): void {
    if (!target) return creation.mutate(toCreateBody(draft), { onError, onSuccess: done })
    const change = toUpdateBody(target.id, before, draft)
    if (!change) return onDone()
    updateMutation.mutate(change, { onError, onSuccess: done })
  }
  return {
    send,
    isPending: creation.isPending || updateMutation.isPending,
    error: creation.error ?? updateMutation.error,
  }
}

function withoutFields(problems: FieldErrors, fields: readonly string[]): FieldErrors {
  return Object.fromEntries(Object.entries(problems).filter(([field]) => !fields.includes(field)))
}
