import { type CSSProperties, useId, useState } from 'react'
import type { Bounds } from '#billing/rules.ts'
import { formatNumber } from '#lib/format.ts'
import { FieldMessages, Input } from '#ui/field.tsx'

/**
 * Slider and number field for the number of targets; the field accepts numbers beyond the slider's maximum.
 * Typed input is applied on blur or Enter, so that it isn't clamped while typing.
 */
export function TargetSlider({
  value,
  bounds,
  trackEnd,
  hint,
  problem,
  onChange,
}: {
  readonly value: number
  readonly bounds: Bounds
  readonly trackEnd: number
  readonly hint: string
  /** The server's error about the number. */
  readonly problem: string | undefined
  readonly onChange: (targets: number) => void
}) {
  const id = useId()
  const filled = ((value - bounds.min) / (trackEnd - bounds.min)) * 100
  return (
    <section aria-labelledby={`${id}-name`} className="blk">
      <div className="flex items-center justify-between gap-3">
        <h2 id={`${id}-name`} className="text-14/5 font-semibold tracking-[-.006em]">
          Targets
        </h2>
        <NumberField {...{ value, bounds, onChange }} isWrong={problem !== undefined} describedBy={`${id}-hint`} />
      </div>
      <input
        type="range"
        min={bounds.min}
        max={trackEnd}
        value={value}
        onChange={(event) => onChange(event.currentTarget.valueAsNumber)}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-hint`}
        className="slider mt-2.5 block"
        style={{ '--filled': `${filled}%` } as CSSProperties}
      />
      <div aria-hidden="true" className="flex justify-between text-12 text-ink-3 tabular-nums">
        <span>{formatNumber(bounds.min)}</span>
        <span>{formatNumber(trackEnd)}</span>
      </div>
      <div id={`${id}-hint`} className="mt-2 text-12 text-ink-3">
        {problem ? <FieldMessages state="error" messages={[problem]} /> : hint}
      </div>
    </section>
  )
}

interface NumberFieldProps {
  readonly value: number
  readonly bounds: Bounds
  readonly onChange: (targets: number) => void
  readonly isWrong: boolean
  readonly describedBy: string
}
function NumberField({ value, bounds, onChange, isWrong, describedBy }: NumberFieldProps) {
  /** Input in progress; undefined while the field isn't being edited. */
  const [text, setText] = useState<string>()
  function applyInput(): void {
    const wanted = Number(text)
    if (text !== undefined && text !== '' && Number.isFinite(wanted)) onChange(wanted)
    setText(undefined)
  }
  return (
    <span className="w-20">
      <Input
        small
        type="number"
        inputMode="numeric"
        aria-label="Number of targets"
        aria-describedby={describedBy}
        aria-invalid={isWrong || undefined}
        state={isWrong ? 'error' : 'default'}
        min={bounds.min}
        max={bounds.max === Number.MAX_SAFE_INTEGER ? undefined : bounds.max}
        value={text ?? value}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={applyInput}
        onKeyDown={(event) => event.key === 'Enter' && applyInput()}
        className="[appearance:textfield] text-center tabular-nums [&::-webkit-inner-spin-button]:appearance-none"
      />
    </span>
  )
}
