import { type CSSProperties, useId } from 'react'
import { Input } from '#ui/field.tsx'

/** A slider with a number input, so that dragging isn't required. */
export function Slider({
  label,
  value,
  onChange,
  min = 0,
  max = 100,
  step = 1,
  disabled = false,
}: {
  readonly label: string
  readonly value: number
  readonly onChange: (value: number) => void
  readonly min?: number
  readonly max?: number
  readonly step?: number
  readonly disabled?: boolean
}) {
  const id = useId()
  const filled = max > min ? ((value - min) / (max - min)) * 100 : 0
  const range = { min, max, step, value, disabled }
  const take = (text: string) => {
    const wanted = Number(text)
    if (text !== '' && Number.isFinite(wanted)) onChange(Math.min(Math.max(wanted, min), max))
  }
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="leading-4.5 font-medium">
        {label}
      </label>
      <div className="flex items-center gap-4">
        <input
          {...range}
          id={id}
          type="range"
          className="slider"
          style={{ '--filled': `${filled}%` } as CSSProperties}
          onChange={(event) => take(event.target.value)}
        />
        <span className="w-20 flex-none">
          <Input
            {...range}
            type="number"
            small
            aria-label={`${label}, number`}
            onChange={(event) => take(event.target.value)}
          />
        </span>
      </div>
    </div>
  )
}
