/** The form that makes many targets of a pasted list. */
import type { ReactNode } from 'react'
import { formatNumber } from '#lib/format.ts'
import { ManyVerdicts } from '#targets/many-verdicts.tsx'
import { PermissionTick } from '#targets/permission-field.tsx'
import { freshOf, type Many, needsPermission, registered } from '#targets/use-many.ts'
import { Button } from '#ui/button.tsx'
import { Note } from '#ui/note.tsx'
import { TextAreaField } from '#ui/text-area.tsx'

interface ManyFieldsProps {
  readonly many: Many
  /** The way back to one target. */
  readonly aside: ReactNode
  /** What holds for all of them. */
  readonly children: ReactNode
}

export function ManyFields({ many, aside, children }: ManyFieldsProps) {
  const fresh = freshOf(many.verdicts)
  return (
    <>
      {many.outcome && <Account many={many} />}
      <TextAreaField
        label="Addresses"
        name="addresses"
        required
        ref={focusAtOnce}
        rows={8}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        readOnly={many.isBusy}
        className="font-mono"
        aside={aside}
        hint="One to a line, or with commas between: host names, IP addresses, ranges, networks and URLs."
        value={many.text}
        onChange={(event) => many.write(event.currentTarget.value)}
        messages={many.listProblem ? [many.listProblem] : []}
      />
      <ManyVerdicts many={many} />
      {many.places !== undefined && fresh.length > 0 && <Places fresh={fresh.length} places={many.places} />}
      {needsPermission(fresh) && (
        <PermissionTick
          label="I am allowed to scan these addresses"
          value={many.isPermitted}
          onChange={many.permit}
          problem={many.permissionProblem}
        />
      )}
      {children}
    </>
  )
}

/** Whoever has asked for the list wants to paste it. Always the same function: it is called when the field comes. */
const focusAtOnce = (field: HTMLTextAreaElement | null) => field?.focus()

/** What became of the list, when something of it is left. */
function Account({ many: { outcome, isBusy } }: Pick<ManyFieldsProps, 'many'>) {
  if (!outcome || isBusy) return null
  const { made, refused, stopped } = outcome
  const isWrong = stopped !== undefined || refused.size > 0
  const words = [
    made.length > 0 && registered(made.length),
    refused.size > 0 && `${formatNumber(refused.size)} ${refused.size === 1 ? 'was' : 'were'} refused.`,
    stopped !== undefined && `The rest was not sent (${stopped}).`,
    'What is left stands below.',
  ]
  return <Note variant={isWrong ? 'red' : 'green'}>{words.filter(Boolean).join(' ')}</Note>
}

function Places({ fresh, places }: { readonly fresh: number; readonly places: number }) {
  const fit = places === 1 ? '1 more target fits' : `${formatNumber(places)} more targets fit`
  if (fresh <= places) return <p className="text-12 text-ink-3">{fit} in your plan.</p>
  const over = fresh - places
  const first = places === 1 ? 'the first is created' : `the first ${formatNumber(places)} are created`
  const words =
    places === 0
      ? 'No further target fits in your plan.'
      : `${fit} in your plan: ${first}, and ${formatNumber(over)} ${over === 1 ? 'stays' : 'stay'} in the list.`
  return (
    <Note variant="yellow">
      {words}{' '}
      <a href="/subscription" target="_blank" rel="noreferrer" className="underline underline-offset-3">
        Change the plan
      </a>
    </Note>
  )
}

/** The foot of a panel: its buttons, and how far it has come. */
export function ManyFoot({
  many,
  formId,
  onClose,
}: {
  readonly many: Many
  readonly formId: string
  readonly onClose: () => void
}) {
  return (
    <>
      <ManyProgress many={many} />
      {many.isBusy ? <Button onClick={many.stop}>Stop</Button> : <Button onClick={onClose}>Cancel</Button>}
      <ManySubmit many={many} formId={formId} />
    </>
  )
}

export function ManyProgress({ many: { isBusy, step } }: { readonly many: Many }) {
  return (
    <span className="mr-auto self-center text-ink-2 tabular-nums" aria-live="polite">
      {isBusy && `${formatNumber(step.done)} of ${formatNumber(step.all)}`}
    </span>
  )
}

/** Says how many it makes. `formId`: of the form, where the button stands outside of it. */
export function ManySubmit({ many, formId }: { readonly many: Many; readonly formId?: string }) {
  const { isBusy, step, places } = many
  const fresh = freshOf(many.verdicts).length
  const count = isBusy ? step.all : Math.min(fresh, places ?? fresh)
  return (
    <Button variant="primary" type="submit" form={formId} loading={isBusy} disabled={fresh > 0 && places === 0}>
      {count === 0 ? 'Create targets' : `Create ${formatNumber(count)} ${count === 1 ? 'target' : 'targets'}`}
    </Button>
  )
}
