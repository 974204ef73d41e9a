/** The onboarding step that adds targets. */
import type { Target } from '@glacis/contract/target'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { ApiFailure } from '#api/failure.ts'
import { formatNumber } from '#lib/format.ts'
import { AddressField } from '#targets/address-field.tsx'
import { AddressListForm } from '#targets/address-list-form.tsx'
import { emptyDraft, type FieldErrors, type TargetDraft, toCreateBody, toFieldErrors, validate } from '#targets/form.ts'
import { PasteListLink } from '#targets/list-links.tsx'
import { permissionError, PermissionField } from '#targets/permission-field.tsx'
import { all, create, parsedAddress } from '#targets/queries.ts'
import { PeriodField } from '#targets/schedule-field.tsx'
import { Button } from '#ui/button.tsx'
import { TextField } from '#ui/field.tsx'
import { TargetAddress } from '#ui/target-address.tsx'

const route = getRouteApi('/_auth/onboarding')

/** Maximum number of targets to list. */
const maxShown = 5

interface FirstTargetsProps {
  readonly renderNavigation: (state: { readonly isReady: boolean }) => ReactNode
}

export function FirstTargets({ renderNavigation }: FirstTargetsProps) {
  const client = useQueryClient()
  const formId = useId()
  const targets = useQuery(all()).data?.targets ?? []
  const [draft, setDraft] = useState(emptyDraft)
  const [problems, setProblems] = useState<FieldErrors>({})
  const [pasted, setPasted] = useState('')
  const [isMany, setIsMany] = useListMode()
  const creation = useMutation(create)
  const set = (change: Partial<TargetDraft>) => {
    setDraft({ ...draft, ...change })
    setProblems({})
  }
  // For adding another target.
  const focusName = () =>
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`#${CSS.escape(formId)} input`)?.focus())
  function openList(given = pasted): void {
    if (given !== pasted) set({ address: '' })
    setPasted(given)
    setIsMany(true)
  }
  function closeList(left: string): void {
    setPasted(left)
    setIsMany(false)
    focusName()
  }
  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    const address = draft.address.trim()
    // Enter may submit the form before the debounced check of the address has run.
    const reading = address
      ? await client.ensureQueryData(parsedAddress(address)).then(
          ({ results }) => results[0],
          () => undefined, // the call has already shown a toast; let the server validate the address
        )
      : undefined
    const found: FieldErrors = {
      ...(reading?.error && { address: reading.error }),
      ...(reading?.private === false && !draft.isPermitted && { isPermitted: permissionError }),
      ...validate(draft),
    }
    setProblems(found)
    if (Object.keys(found).length > 0) return
    creation.mutate(toCreateBody(draft), {
      onSuccess: () => {
        setDraft({ ...draft, name: '', address: '', isPermitted: false })
        focusName()
      },
      onError: (error) => setProblems(error instanceof ApiFailure ? toFieldErrors(error) : {}),
    })
  }
  const schedule = <PeriodField value={draft.period} onChange={(period) => set({ period })} problem={problems.period} />
  return (
    <>
      {targets.length > 0 && <TargetsAdded targets={targets} />}
      {isMany ? (
        <AddressListForm draft={draft} text={pasted} onBack={closeList} onDone={() => closeList('')}>
          {schedule}
        </AddressListForm>
      ) : (
        <form id={formId} noValidate onSubmit={(event) => void submit(event)} className="grid content-start gap-5">
          <TextField
            label="Name"
            maxLength={128}
            hint="1 to 128 characters"
            value={draft.name}
            state={problems.name ? 'error' : 'default'}
            messages={problems.name ? [problems.name] : []}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <AddressField
            value={draft.address}
            problem={problems.address}
            onChange={(address) => set({ address, isPermitted: false })}
            aside={<PasteListLink address={draft.address} onPress={openList} />}
          />
          <PermissionField
            address={draft.address}
            value={draft.isPermitted}
            onChange={(isPermitted) => set({ isPermitted })}
            problem={problems.isPermitted}
          />
          {schedule}
          <div>
            <Button
              type="submit"
              call="createTarget"
              variant={targets.length > 0 ? 'secondary' : 'primary'}
              loading={creation.isPending}
            >
              {targets.length > 0 ? 'Add another target' : 'Add target'}
            </Button>
          </div>
        </form>
      )}
      {renderNavigation({ isReady: targets.length > 0 })}
    </>
  )
}

/** Keeps the list form open while entries remain, even though the first target completes the step. */
function useListMode(): readonly [boolean, (isMany: boolean) => void] {
  const { step } = route.useSearch()
  const navigate = useNavigate()
  const [isMany, setIsMany] = useState(false)
  const [before, setBefore] = useState(step)
  const choose = (next: boolean) => {
    setIsMany(next)
    setBefore(step)
    void navigate({ to: '/onboarding', search: { step: next ? 'target' : before }, replace: true })
  }
  return [isMany, choose]
}

/** The newest targets; the others are shown as a count. */
function TargetsAdded({ targets }: { readonly targets: readonly Target[] }) {
  const more = targets.length - maxShown
  return (
    <ul aria-label="Targets" className="grid gap-1 text-14">
      {targets.slice(0, maxShown).map((target) => (
        <li key={target.id} className="flex items-center gap-2">
          <Check className="size-4 flex-none text-green-ink" aria-hidden="true" />
          <span className="min-w-0 truncate font-medium" title={target.name}>
            {target.name}
          </span>
          <TargetAddress target={target} />
        </li>
      ))}
      {more > 0 && <li className="text-ink-2">and {formatNumber(more)} more</li>}
    </ul>
  )
}
