/** Form fields for creating many targets from a pasted list. */
import type { ReactNode } from 'react'
import { formatNumber } from '#lib/format.ts'
import { AddressListPreview } from '#targets/address-list-preview.tsx'
import { PermissionCheckbox } from '#targets/permission-field.tsx'
import { newEntriesOf, type AddressList, needsPermission, formatAdded } from '#targets/use-address-list.ts'
import { Button } from '#ui/button.tsx'
import { Note } from '#ui/note.tsx'
import { TextAreaField } from '#ui/text-area.tsx'

interface AddressListFieldsProps {
  readonly many: AddressList
  /** Link back to the form for a single target. */
  readonly aside: ReactNode
  /** Fields that apply to all targets. */
  readonly children: ReactNode
}

export function AddressListFields({ many, aside, children }: AddressListFieldsProps) {
  const fresh = newEntriesOf(many.verdicts)
  return (
    <>
      {many.outcome && <OutcomeNote many={many} />}
      <TextAreaField
        label="Addresses"
        name="addresses"
        required
        ref={focusOnMount}
        rows={8}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        readOnly={many.isBusy}
        className="font-mono"
        aside={aside}
        hint="Hostnames, IP addresses, ranges, networks, URLs, and addresses with a port, separated by spaces, commas, or line breaks."
        value={many.text}
        onChange={(event) => many.write(event.currentTarget.value)}
        messages={many.listProblem ? [many.listProblem] : []}
      />
      <AddressListPreview many={many} />
      {many.places !== undefined && fresh.length > 0 && <QuotaNote fresh={fresh.length} available={many.places} />}
      {needsPermission(fresh) && (
        <PermissionCheckbox
          label="I'm authorized to scan these addresses"
          value={many.isPermitted}
          onChange={many.permit}
          problem={many.permissionProblem}
        />
      )}
      {children}
    </>
  )
}

/** A stable ref callback, so that React calls it only when the field mounts. */
const focusOnMount = (field: HTMLTextAreaElement | null) => field?.focus()

/** The result of the last submission, shown while part of the list remains. */
function OutcomeNote({ many: { outcome, isBusy } }: Pick<AddressListFieldsProps, 'many'>) {
  if (!outcome || isBusy) return null
  const { created, rejected, stopped } = outcome
  const isWrong = stopped !== undefined || rejected.size > 0
  const message = [
    created.length > 0 && formatAdded(created.length),
    rejected.size > 0 && `${formatNumber(rejected.size)} ${rejected.size === 1 ? 'was' : 'were'} rejected.`,
    stopped !== undefined && `The rest weren't sent (${stopped}).`,
    'The remaining addresses are listed below.',
  ]
  return <Note variant={isWrong ? 'red' : 'green'}>{message.filter(Boolean).join(' ')}</Note>
}

function QuotaNote({ fresh, available }: { readonly fresh: number; readonly available: number }) {
  const fit = available === 1 ? '1 more target' : `${formatNumber(available)} more targets`
  if (fresh <= available) return <p className="text-12 text-ink-3">Your plan allows {fit}.</p>
  const over = fresh - available
  const first = available === 1 ? 'The first is added' : `The first ${formatNumber(available)} are added`
  const message =
    available === 0
      ? "You've reached your plan's target limit."
      : `Your plan allows ${fit}. ${first}; ${formatNumber(over)} ${over === 1 ? 'stays' : 'stay'} in the list.`
  return (
    <Note variant="yellow">
      {message}{' '}
      <a href="/subscription" target="_blank" rel="noreferrer" className="underline underline-offset-3">
        Change plan
      </a>
    </Note>
  )
}

/** Footer of the panel: buttons and progress. */
export function AddressListFooter({
  many,
  formId,
  onClose,
}: {
  readonly many: AddressList
  readonly formId: string
  readonly onClose: () => void
}) {
  return (
    <>
      <AddressListProgress many={many} />
      {many.isBusy ? <Button onClick={many.stop}>Stop</Button> : <Button onClick={onClose}>Cancel</Button>}
      <AddressListSubmit many={many} formId={formId} />
    </>
  )
}

export function AddressListProgress({ many: { isBusy, step } }: { readonly many: AddressList }) {
  return (
    <span className="mr-auto self-center text-ink-2 tabular-nums" aria-live="polite">
      {isBusy && `${formatNumber(step.done)} of ${formatNumber(step.all)}`}
    </span>
  )
}

/** Submit button labeled with the number of targets. `formId` is needed if the button is outside the form. */
export function AddressListSubmit({ many, formId }: { readonly many: AddressList; readonly formId?: string }) {
  const { isBusy, step, places: available } = many
  const fresh = newEntriesOf(many.verdicts).length
  const count = isBusy ? step.all : Math.min(fresh, available ?? fresh)
  return (
    <Button
      variant="primary"
      type="submit"
      call="createTarget"
      form={formId}
      loading={isBusy}
      disabled={fresh > 0 && available === 0}
    >
      {count === 0 ? 'Add targets' : `Add ${formatNumber(count)} ${count === 1 ? 'target' : 'targets'}`}
    </Button>
  )
}
