/** The first step: what is to be watched. */
import type { SchedulePeriod } from '@glacis/contract/target'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ApiFailure } from '#api/failure.ts'
import { formatNumber } from '#lib/format.ts'
import type { WayOn } from '#onboarding/onboarding.tsx'
import { steps } from '#onboarding/queries.ts'
import { StepHead } from '#onboarding/step-head.tsx'
import { all, create, understood } from '#targets/queries.ts'
import { Button } from '#ui/button.tsx'
import { TextField } from '#ui/field.tsx'
import { RadioCard } from '#ui/radio-card.tsx'

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
interface TargetStepProps {
  readonly wayOn: WayOn
  /** The tick for an address on the internet, which belongs to the room of targets. */
  readonly permission: (props: PermissionProps) => ReactNode
  /** What is said while it is missing. */
  readonly askPermission: string
}

export function TargetStep({ wayOn, permission, askPermission }: TargetStepProps) {
  const client = useQueryClient()
  const targets = useQuery(all()).data?.targets ?? []
  const [draft, setDraft] = useState({
    name: '',
    address: '',
    period: 'PERIOD_WEEKLY' as SchedulePeriod,
    isPermitted: false,
  })
  const [problems, setProblems] = useState<Problems>({})
  const making = useMutation(create(client))
  const set = (change: Partial<typeof draft>) => {
    setDraft({ ...draft, ...change })
    setProblems({})
  }
  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    const address = draft.address.trim()
    // Enter sends the form before the field has asked how its address is understood.
    const reading = address
      ? await client.ensureQueryData(understood(address)).then(
          ({ results }) => results[0],
          () => undefined, // the call itself has raised a notice, and the server decides
        )
      : undefined
    const found: Problems = {
      ...(draft.name.trim() === '' && { name: 'Required' }),
      ...(address === '' && { address: 'Required' }),
      ...(reading?.error && { address: reading.error }),
      ...(reading?.private === false && !draft.isPermitted && { isPermitted: askPermission }),
    }
    setProblems(found)
    if (Object.keys(found).length > 0) return
    const onSuccess = () => {
      setDraft({ ...draft, name: '', address: '', isPermitted: false })
      void client.invalidateQueries({ queryKey: steps().queryKey })
    }
    const onError = (error: Error) => setProblems(error instanceof ApiFailure ? problemsOf(error) : {})
    making.mutate(
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
  return (
    <>
      <StepHead title="What should Glacis watch?">
        Enter what you own or may test: Glacis connects to every address in it.
      </StepHead>
      {targets.length > 0 && (
        <ul aria-label="Targets" className="grid gap-1 text-14">
          {targets.map(({ id, name, address }) => (
            <li key={id} className="flex items-center gap-2">
              <Check className="size-4 flex-none text-green-ink" aria-hidden="true" />
              <span className="font-medium">{name}</span>
              <span className="min-w-0 truncate font-mono text-ink-2">{address}</span>
            </li>
          ))}
        </ul>
      )}
      <form noValidate onSubmit={(event) => void submit(event)} className="grid content-start gap-5">
        <TextField
          label="Name"
          maxLength={128}
          hint="1 to 128 characters"
          value={draft.name}
          state={problems.name ? 'error' : 'default'}
          messages={problems.name ? [problems.name] : []}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <Address
          value={draft.address}
          problem={problems.address}
          onChange={(address) => set({ address, isPermitted: false })}
        />
        {permission({
          address: draft.address,
          value: draft.isPermitted,
          onChange: (isPermitted) => set({ isPermitted }),
          problem: problems.isPermitted,
        })}
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
        <div>
          <Button type="submit" variant={targets.length > 0 ? 'secondary' : 'primary'} loading={making.isPending}>
            {targets.length > 0 ? 'Add another target' : 'Add target'}
          </Button>
        </div>
      </form>
      {wayOn({ isReady: targets.length > 0 })}
    </>
  )
}

function problemsOf(failure: ApiFailure): Problems {
  const of = (field: string) => [...failure.fieldErrors].find(([path]) => path.split('.').at(-1) === field)?.[1]
  const [name, address] = [of('name'), of('address')]
  return { ...(name && { name }), ...(address && { address }) }
}

interface AddressProps {
  readonly value: string
  readonly problem: string | undefined
  readonly onChange: (value: string) => void
}
/** Says back how the server understands the address, so that a slip shows before it is scanned. */
function Address({ value, problem, onChange }: AddressProps) {
  const [asked, setAsked] = useState('')
  const { data } = useQuery({ ...understood(asked), enabled: asked !== '' })
  const reading = asked === value.trim() ? data?.results[0] : undefined
  const error = problem ?? reading?.error
  const echo = error
    ? undefined
    : reading?.normalized && `Understood as ${reading.normalized}${hostWords(reading.hostCount)}.`
  return (
    <TextField
      label="Address"
      mono
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={2048}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onBlur={() => setAsked(value.trim())}
      state={error ? 'error' : echo ? 'success' : 'default'}
      messages={error ? [error] : echo ? [echo] : []}
      hint="Host name, IP address, range, network or URL: example.ch, 203.0.113.0/28, https://app.example.ch"
    />
  )
}

function hostWords(count = 1): string {
  return count > 1 ? `, ${formatNumber(count)} addresses` : ''
}
