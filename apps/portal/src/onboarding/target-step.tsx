/** First step: add targets. */
import type { SchedulePeriod, Target } from '@glacis/contract/target'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { fieldProblem } from '#api/advice.ts'
import { ApiFailure } from '#api/failure.ts'
import { formatNumber } from '#lib/format.ts'
import { Address } from '#onboarding/address.tsx'
import type { StepNavigation } from '#onboarding/onboarding.tsx'
import { StepHead } from '#onboarding/step-head.tsx'
import { all, create, parsedAddress } from '#targets/queries.ts'
import { Button } from '#ui/button.tsx'
import { TextField } from '#ui/field.tsx'
import { RadioCard } from '#ui/radio-card.tsx'

const route = getRouteApi('/_auth/onboarding')

/** Maximum number of targets to list. */
const maxShown = 5

const periods: readonly { readonly value: SchedulePeriod; readonly label: string }[] = [
  { value: 'PERIOD_DAILY', label: 'Daily' },
  { value: 'PERIOD_WEEKLY', label: 'Weekly' },
  { value: 'PERIOD_MONTHLY', label: 'Monthly' },
]
type Problems = Partial<Record<'name' | 'address' | 'isPermitted', string>>

export interface PermissionProps {
  readonly address: string
  readonly value: boolean
  readonly onChange: (isPermitted: boolean) => void
  readonly problem: string | undefined
}
export interface AddressProps {
  readonly value: string
  readonly problem: string | undefined
  readonly onChange: (address: string) => void
  /** Switches to the list form. `list` is the field's value if it is a list. */
  readonly onList: (list: string | undefined) => void
}
export interface ListProps {
  readonly period: SchedulePeriod
  readonly text: string
  /** Returns to the single-target form with the remaining text. */
  readonly onBack: (text: string) => void
  readonly onDone: () => void
  /** Fields that apply to all targets. */
  readonly children: ReactNode
}
interface TargetStepProps {
  readonly renderNavigation: StepNavigation
  /** The address field, the permission checkbox, and the list form are rendered by the `targets` module. */
  readonly address: (props: AddressProps) => ReactNode
  readonly permission: (props: PermissionProps) => ReactNode
  readonly list: (props: ListProps) => ReactNode
  /** Error shown if the permission is missing. */
  readonly permissionError: string
}

export function TargetStep({
  renderNavigation,
  address: addressField,
  permission,
  list,
  permissionError,
}: TargetStepProps) {
  const client = useQueryClient()
  const formId = useId()
  const targets = useQuery(all()).data?.targets ?? []
  const [draft, setDraft] = useState({
    name: '',
    address: '',
    period: 'PERIOD_WEEKLY' as SchedulePeriod,
    isPermitted: false,
  })
  const [problems, setProblems] = useState<Problems>({})
  const [pasted, setPasted] = useState('')
  const [isMany, setIsMany] = useListMode()
  const creation = useMutation(create)
  const set = (change: Partial<typeof draft>) => {
    setDraft({ ...draft, ...change })
    setProblems({})
  }
  function added(): void {
    focusName()
  }
  // Focus the name field for adding another target.
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
    const found: Problems = {
      ...(draft.name.trim() === '' && { name: 'Required' }),
      ...(address === '' && { address: 'Required' }),
      ...(reading?.error && { address: reading.error }),
      ...(reading?.private === false && !draft.isPermitted && { isPermitted: permissionError }),
    }
    setProblems(found)
    if (Object.keys(found).length > 0) return
    const onSuccess = () => {
      setDraft({ ...draft, name: '', address: '', isPermitted: false })
      added()
    }
    const onError = (error: Error) => setProblems(error instanceof ApiFailure ? toFieldErrors(error) : {})
    creation.mutate(
      {
        name: draft.name.trim(),
        address,
        schedule: { period: draft.period },
        tags: [],
        ...(draft.isPermitted && { isPermitted: true }),
      },
      { onSuccess, onError },
    )
  }
  const schedule = (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 leading-4.5 font-medium">Schedule</legend>
      <div className="grid grid-cols-3 gap-2 max-[24rem]:grid-cols-1">
        {periods.map(({ value, label }) => (
          <RadioCard
            key={value}
            name="period"
            label={label}
            checked={draft.period === value}
            onChange={() => set({ period: value })}
          />
        ))}
      </div>
    </fieldset>
  )
  return (
    <>
      <StepHead of="TARGET" />
      {targets.length > 0 && <TargetsAdded targets={targets} />}
      {isMany ? (
        list({
          period: draft.period,
          text: pasted,
          onBack: closeList,
          onDone: () => {
            closeList('')
            added()
          },
          children: schedule,
        })
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
          {addressField({
            value: draft.address,
            problem: problems.address,
            onChange: (address) => set({ address, isPermitted: false }),
            onList: openList,
          })}
          {permission({
            address: draft.address,
            value: draft.isPermitted,
            onChange: (isPermitted) => set({ isPermitted }),
            problem: problems.isPermitted,
          })}
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

function toFieldErrors(failure: ApiFailure): Problems {
  const [name, address] = [fieldProblem(failure, 'name'), fieldProblem(failure, 'address')]
  return { ...(name && { name }), ...(address && { address }) }
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
          <Address {...target} />
        </li>
      ))}
      {more > 0 && <li className="text-ink-2">and {formatNumber(more)} more</li>}
    </ul>
  )
}
