import { type ClipboardEvent, type KeyboardEvent, useId, useRef, useState } from 'react'
import { cx } from '#lib/cx.ts'
import { type FieldState, FieldMessages, inputClass } from '#ui/field.tsx'

/** Length of the identity service's codes. */
export const codeLength = 6

/**
 * A code input with one box per character. Pasting fills the boxes; Backspace clears and moves back; arrows move. The
 * form receives the whole code as `name`.
 */
export function CodeInput({
  label,
  name,
  length = codeLength,
  state = 'default',
  messages = [],
  initially = '',
  disabled = false,
  numeric = true,
  focusFirst = false,
  onChange,
}: {
  readonly label: string
  readonly name?: string
  readonly length?: number
  readonly state?: FieldState
  readonly messages?: readonly string[]
  readonly initially?: string
  readonly disabled?: boolean
  /** Requests a numeric keyboard on phones; letters are still accepted. */
  readonly numeric?: boolean
  /** Takes focus when its form appears. */
  readonly focusFirst?: boolean
  /** Called with the current code, complete or not. */
  readonly onChange?: (code: string) => void
}) {
  const messagesId = useId()
  const boxes = useRef<(HTMLInputElement | null)[]>([])
  const [characters, setCharacters] = useState<readonly string[]>(() => spread([], 0, initially, length))

  function change(next: readonly string[], focus: number): void {
    setCharacters(next)
    onChange?.(next.join(''))
    const box = boxes.current[Math.min(Math.max(focus, 0), length - 1)]
    box?.focus()
    box?.select()
  }
  function write(index: number, text: string): void {
    const typed = newText(characters[index] ?? '', text)
    if (typed === '') return change(without(characters, index), index)
    change(spread(characters, index, typed, length), index + Array.from(typed).length)
  }
  function press(index: number, event: KeyboardEvent): void {
    const moves: Readonly<Record<string, () => void>> = {
      Backspace: () => change(without(characters, index), index - 1),
      ArrowLeft: () => boxes.current[index - 1]?.focus(),
      ArrowRight: () => boxes.current[index + 1]?.focus(),
    }
    const move = moves[event.key]
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    move()
  }
  function paste(index: number, event: ClipboardEvent): void {
    event.preventDefault()
    const text = pastedCode(event.clipboardData.getData('text'), length)
    // A whole code replaces the boxes, wherever the focus is.
    const from = Array.from(text).length >= length ? 0 : index
    if (text) change(spread(characters, from, text, length), from + Array.from(text).length)
  }

  return (
    <fieldset disabled={disabled} className="min-w-0">
      <legend className="mb-2 leading-4.5 font-medium">{label}</legend>
      <div className="grid max-w-[360px] grid-flow-col auto-cols-[minmax(0,1fr)] gap-2">
        {Array.from({ length }, (_, index) => (
          <input
            key={index}
            ref={(box) => {
              boxes.current[index] = box
            }}
            value={characters[index] ?? ''}
            onChange={(event) => write(index, event.target.value)}
            onKeyDown={(event) => press(index, event)}
            onPaste={(event) => paste(index, event)}
            onFocus={(event) => event.target.select()}
            inputMode={numeric ? 'numeric' : 'text'}
            autoComplete={index === 0 ? 'one-time-code' : 'off'}
            autoCapitalize="off"
            data-autofocus={(focusFirst && index === 0) || undefined}
            aria-label={`Character ${index + 1} of ${length}`}
            aria-invalid={state === 'error' || undefined}
            aria-describedby={messages.length > 0 ? messagesId : undefined}
            className={cx(inputClass(state), 'h-12! px-0! text-center font-mono text-[18px]/none! font-medium')}
          />
        ))}
      </div>
      {name && <input type="hidden" name={name} value={characters.join('')} />}
      {messages.length > 0 && (
        <div id={messagesId} className="mt-2">
          <FieldMessages messages={messages} state={state} />
        </div>
      )}
    </fieldset>
  )
}

/** The code in the pasted text: its only number of that length, as in the sentence of an email, or else all of it. */
function pastedCode(pasted: string, length: number): string {
  const numbers = (pasted.match(/\d+/g) ?? []).filter((digits) => digits.length === length)
  const [only] = numbers
  return only && numbers.length === 1 ? only : pasted.replaceAll(/[\s-]/g, '')
}

/** The text entered into a box with one character; a phone may autofill the whole code into the first box. */
function newText(before: string, text: string): string {
  const typed = text.replaceAll(/\s/g, '')
  if (before && typed.length === before.length + 1 && typed.includes(before)) return typed.replace(before, '')
  return typed
}

function spread(characters: readonly string[], from: number, text: string, length: number): readonly string[] {
  const next = Array.from({ length }, (_, index) => characters[index] ?? '')
  for (const [offset, character] of Array.from(text).entries()) {
    if (from + offset < length) next[from + offset] = character
  }
  return next
}

function without(characters: readonly string[], index: number): readonly string[] {
  return characters.map((character, position) => (position === index ? '' : character))
}
