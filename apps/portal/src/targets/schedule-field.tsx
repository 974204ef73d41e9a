/** Scan schedule of a target: period and allowed hours. */
import type { AllowedHours, SchedulePeriod } from '@glacis/contract/target'
import { useId } from 'react'
import { periodLabels, weekdayLabels } from '#targets/labels.ts'
import { Checkbox, Field, FieldMessages, Input, Select } from '#ui/field.tsx'
import { RadioCard } from '#ui/radio-card.tsx'

const periods = ['PERIOD_DAILY', 'PERIOD_WEEKLY', 'PERIOD_MONTHLY'] as const satisfies readonly SchedulePeriod[]

interface PeriodFieldProps {
  readonly value: SchedulePeriod
  readonly onChange: (period: SchedulePeriod) => void
  readonly problem: string | undefined
}
export function PeriodField({ value, onChange, problem }: PeriodFieldProps) {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 leading-4.5 font-medium">Schedule</legend>
      <div className="grid grid-cols-3 gap-2 max-[24rem]:grid-cols-1">
        {periods.map((period) => (
          <RadioCard
            key={period}
            name="period"
            label={periodLabels[period]}
            checked={value === period}
            onChange={() => onChange(period)}
          />
        ))}
      </div>
      {problem && <FieldMessages messages={[problem]} state="error" />}
    </fieldset>
  )
}

interface HoursFieldProps {
  /** Undefined if scans may run at any time. */
  readonly value: AllowedHours | undefined
  readonly onChange: (hours: AllowedHours | undefined) => void
  readonly problem: string | undefined
}

/** Initial value: nighttime in the user's time zone. */
function defaultHours(): AllowedHours {
  return { start: '22:00', end: '06:00', timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }
}

/** Hours during which scans may run. */
export function HoursField({ value, onChange, problem }: HoursFieldProps) {
  const messagesId = useId()
  return (
    <fieldset className="grid gap-3" aria-describedby={problem ? messagesId : undefined}>
      <legend className="sr-only">Allowed hours</legend>
      <Checkbox
        label="Only during certain hours"
        hint="Outside these hours, no scan starts and running scans pause between batches of hosts."
        checked={value !== undefined}
        onChange={(event) => onChange(event.currentTarget.checked ? defaultHours() : undefined)}
      />
      {value && <Hours value={value} onChange={onChange} />}
      {problem && <FieldMessages id={messagesId} messages={[problem]} state="error" />}
    </fieldset>
  )
}

function Hours({
  value,
  onChange,
}: {
  readonly value: AllowedHours
  readonly onChange: (hours: AllowedHours) => void
}) {
  return (
    <div className="grid gap-3 pl-6">
      <div className="grid grid-cols-2 gap-x-2 gap-y-3">
        <Field label="From">
          {(wiring) => (
            <Input
              {...wiring}
              type="time"
              value={value.start}
              onChange={(event) => onChange({ ...value, start: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label="To">
          {(wiring) => (
            <Input
              {...wiring}
              type="time"
              value={value.end}
              onChange={(event) => onChange({ ...value, end: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label="Time zone" className="col-span-2">
          {(wiring) => (
            <Select
              {...wiring}
              value={value.timeZone}
              onChange={(event) => onChange({ ...value, timeZone: event.currentTarget.value })}
            >
              {timeZoneOptions(value.timeZone).map((zone) => (
                <option key={zone}>{zone}</option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Days value={value} onChange={onChange} />
    </div>
  )
}

const everyDay = [1, 2, 3, 4, 5, 6, 7]

function Days({ value, onChange }: { readonly value: AllowedHours; readonly onChange: (hours: AllowedHours) => void }) {
  const days = value.days ?? everyDay
  const toggle = (day: number) => {
    const chosen = everyDay.filter((candidate) =>
      candidate === day ? !days.includes(candidate) : days.includes(candidate),
    )
    const { days: _, ...rest } = value
    onChange(chosen.length === everyDay.length ? rest : { ...rest, days: chosen })
  }
  return (
    <fieldset className="flex flex-wrap gap-x-4 gap-y-2">
      <legend className="mb-1.5 leading-4.5 font-medium">Days</legend>
      {everyDay.map((day) => (
        <Checkbox key={day} label={weekdayLabels[day - 1]} checked={days.includes(day)} onChange={() => toggle(day)} />
      ))}
    </fieldset>
  )
}

const timeZones = ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** The list of zones, plus the saved zone if this browser doesn't support it. */
function timeZoneOptions(zone: string): readonly string[] {
  return timeZones.includes(zone) ? timeZones : [zone, ...timeZones]
}
