/** The text field of a comment, with a list of members to mention. */
import { type KeyboardEvent, type RefObject, useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { mentionQuery, mentionToken, type Person } from '#issues/mentions.ts'
import { cx } from '#lib/cx.ts'
import { Field, inputClass } from '#ui/field.tsx'

interface CommentFieldProps {
  readonly value: string
  readonly onChange: (text: string) => void
  /** The members that can be mentioned. */
  readonly people: readonly Person[]
  readonly field: RefObject<HTMLTextAreaElement | null>
}

/**
 * `@` opens the list; arrows move in it, Enter or Tab inserts, Escape closes. The focus stays in the text, as in the
 * combobox pattern of the ARIA Authoring Practices.
 */
export function CommentField({ value, onChange, people, field }: CommentFieldProps) {
  const listId = useId()
  const picker = usePicker({ value, onChange, people, field })
  const { options, active } = picker
  return (
    <Field label="Comment" hint="Type @ to mention a member. They are notified by email.">
      {(wiring) => (
        <span className="relative block">
          <textarea
            {...wiring}
            ref={field}
            rows={2}
            maxLength={4000}
            value={value}
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-controls={options.length > 0 ? listId : undefined}
            aria-activedescendant={options.length > 0 ? `${listId}-${active}` : undefined}
            className={cx(inputClass(), 'h-auto! resize-y py-2')}
            onChange={({ target }) => {
              onChange(target.value)
              picker.moveCursor(target.selectionStart)
            }}
            onSelect={({ currentTarget }) => picker.moveCursor(currentTarget.selectionStart)}
            onKeyDown={picker.press}
            onBlur={picker.close}
          />
          {options.length > 0 && (
            <ul
              id={listId}
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role, jsx-a11y/no-noninteractive-element-to-interactive-role -- a select can't leave the focus in the text
              role="listbox"
              aria-label="Members"
              className="absolute inset-x-0 bottom-full z-(--gl-z-menu) mb-1 max-h-64 overflow-y-auto rounded-lg bg-raised p-[5px] shadow-menu"
            >
              {options.map((person, index) => (
                <Option
                  key={person.id}
                  id={`${listId}-${index}`}
                  person={person}
                  isActive={index === active}
                  onChoose={() => picker.insert(person)}
                />
              ))}
            </ul>
          )}
          <output className="sr-only">
            {options.length > 0 && `${options.length} ${options.length === 1 ? 'member' : 'members'}`}
          </output>
        </span>
      )}
    </Field>
  )
}

interface OptionProps {
  readonly id: string
  readonly person: Person
  readonly isActive: boolean
  readonly onChoose: () => void
}

function Option({ id, person: { name, email }, isActive, onChoose }: OptionProps) {
  return (
    // The keyboard is handled by the text field, which keeps the focus.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <li
      id={id}
      ref={(item) => {
        if (isActive) item?.scrollIntoView({ block: 'nearest' })
      }}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role, jsx-a11y/no-noninteractive-element-to-interactive-role
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      className="cursor-pointer rounded-[6px] px-[9px] py-1.5 hover:bg-raised-hover aria-selected:bg-raised-hover max-md:py-2.5"
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <span className="block truncate">{name}</span>
      <span className="block truncate text-12 text-ink-3">{email}</span>
    </li>
  )
}

/** The state of the list: what it offers for the text before the cursor, and which entry is active. */
function usePicker({ value, onChange, people, field }: CommentFieldProps) {
  const [cursor, setCursor] = useState(0)
  const [active, setActive] = useState(0)
  /** The `@` whose list was closed. */
  const [closedAt, setClosedAt] = useState<number>()
  const query = mentionQuery(value, cursor, people)
  const options = query && query.start !== closedAt ? query.options : []
  const current = Math.min(active, options.length - 1)
  function insert(person: Person): void {
    if (!query) return
    const token = `@${mentionToken(person, people)} `
    const text = value.slice(0, query.start) + token + value.slice(cursor).replace(/^ /, '')
    const end = query.start + token.length
    // Replacing the text moves the browser's cursor to the end, so it is set before the next key press.
    flushSync(() => {
      onChange(text)
      setCursor(end)
    })
    field.current?.setSelectionRange(end, end)
  }
  function press(event: KeyboardEvent): void {
    const person = options[current]
    if (!person || event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') setActive((current + 1) % options.length)
    else if (event.key === 'ArrowUp') setActive((current + options.length - 1) % options.length)
    else if (event.key === 'Enter' || event.key === 'Tab') insert(person)
    else if (event.key === 'Escape') setClosedAt(query?.start)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return {
    options,
    active: current,
    insert,
    press,
    moveCursor: (to: number) => {
      setCursor(to)
      if (to !== cursor) setActive(0)
      if (query === undefined) setClosedAt(undefined)
    },
    close: () => setClosedAt(query?.start),
  }
}
