import { ChevronDown, ListFilter, Search, X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { cx } from '#lib/cx.ts'
import { Button, buttonClass } from '#ui/button.tsx'
import { SlideOver } from '#ui/dialog.tsx'
import { Input } from '#ui/field.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuChoice } from '#ui/menu-entries.tsx'

/**
 * The tools row of a list: filters left, sort right. On a phone the filters fold into a panel.
 * `Clear filters` appears with the first active one.
 */
export function FilterBar({
  filters,
  activeCount = 0,
  onClear,
  sort,
  search,
}: {
  readonly filters?: ReactNode
  /** How many filters are on. */
  readonly activeCount?: number
  readonly onClear?: () => void
  readonly sort?: ReactNode
  readonly search?: ReactNode
}) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <fieldset aria-label="Filters" className="flex min-h-[52px] flex-wrap items-center gap-2 px-(--gl-gutter) py-2.5">
      {search}
      {filters && (
        <>
          <div className="hidden md:contents">{filters}</div>
          <Button size="sm" className="md:hidden" icon={<ListFilter />} onClick={() => setIsOpen(true)}>
            {activeCount > 0 ? `Filter (${activeCount})` : 'Filter'}
          </Button>
          <SlideOver
            open={isOpen}
            onClose={() => setIsOpen(false)}
            title="Filter"
            footer={
              <Button variant="primary" onClick={() => setIsOpen(false)}>
                Show results
              </Button>
            }
          >
            <div className="grid justify-items-start gap-3">{filters}</div>
          </SlideOver>
        </>
      )}
      {activeCount > 0 && onClear && (
        <Button
          variant="ghost"
          size="sm"
          onClick={({ currentTarget }) => {
            focusFirst(currentTarget.closest('fieldset'))
            onClear()
          }}
        >
          Clear filters
        </Button>
      )}
      {sort && <div className="ml-auto max-md:flex-1">{sort}</div>}
    </fieldset>
  )
}

/** What is pressed goes with the filters that it takes away; the focus goes to the first button that is seen there. */
function focusFirst(place: Element | null): void {
  for (const button of place?.querySelectorAll('button') ?? []) {
    button.focus()
    if (document.activeElement === button) return
  }
}

export interface FilterOption<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly icon?: ReactNode
}

/** A filter: its name while it is off, "Target: DMZ Bern ×" while it is on. */
export function FilterMenu<Value extends string>({
  label,
  options,
  chosen,
  onChange,
  many = false,
}: {
  readonly label: string
  readonly options: readonly FilterOption<Value>[]
  readonly chosen: readonly Value[]
  readonly onChange: (chosen: readonly Value[]) => void
  /** Several may be on together. */
  readonly many?: boolean
}) {
  const toggle = (value: Value) => {
    if (!many) return onChange(chosen.includes(value) ? [] : [value])
    onChange(chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value])
  }
  const words = options.filter(({ value }) => chosen.includes(value)).map((option) => option.label)
  const isOn = chosen.length > 0
  return (
    <span className="inline-flex">
      <Menu
        place="bottom start"
        buttonClassName={cx(
          buttonClass({ variant: 'secondary', size: 'sm' }),
          isOn && 'max-w-64 rounded-r-none border-r-0! bg-selected! text-main-ink! border-main-edge!',
        )}
        button={
          <>
            <span className="truncate">{isOn ? `${label}: ${words.join(', ') || chosen.length}` : label}</span>
            {!isOn && <ChevronDown className="-mr-0.5 text-ink-3" />}
          </>
        }
      >
        <div className="max-h-80 max-w-80 overflow-x-hidden overflow-y-auto">
          {options.map(({ value, label: word, icon }) => (
            <MenuChoice
              key={value}
              kind={many ? 'checkbox' : 'radio'}
              checked={chosen.includes(value)}
              onClick={() => toggle(value)}
              icon={icon}
            >
              <span title={word}>{word}</span>
            </MenuChoice>
          ))}
          {options.length === 0 && <p className="px-[9px] py-1.5 text-ink-3">Nothing to choose from</p>}
        </div>
      </Menu>
      {isOn && (
        <button
          type="button"
          aria-label={`Remove filter ${label}`}
          onClick={({ currentTarget }) => {
            focusFirst(currentTarget.parentElement)
            onChange([])
          }}
          className={cx(
            buttonClass({ variant: 'secondary', size: 'sm' }),
            'rounded-l-none border-l-0! bg-selected! px-2! text-main-ink! border-main-edge!',
          )}
        >
          <X />
        </button>
      )}
    </span>
  )
}

/** A button that is on or off. */
export function FilterToggle({
  label,
  on,
  onChange,
}: {
  readonly label: string
  readonly on: boolean
  readonly onChange: (on: boolean) => void
}) {
  return (
    <Button
      size="sm"
      aria-pressed={on}
      onClick={() => onChange(!on)}
      className={on ? 'bg-selected! text-main-ink! border-main-edge!' : ''}
    >
      {label}
      {on && <X aria-hidden="true" />}
    </Button>
  )
}

/** How long a pause in typing is before the list follows, in milliseconds. */
const typingPauseMs = 300

/** Search of a list. `/` jumps to it; the list follows when typing pauses, and at once on Enter. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const id = useId()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => () => clearTimeout(timer.current), [])
  // Whoever types is ahead of the address; only a change from elsewhere (a link, "Clear filters") comes back here.
  useEffect(() => {
    if (input.current && input.current !== document.activeElement) input.current.value = value
  }, [value])
  const tell = (text: string, waitMs: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onChange(text.trim()), waitMs)
  }
  return (
    <search className="w-60 min-w-0 max-md:flex-[1_1_180px]">
      <form
        className="relative"
        onSubmit={(event) => {
          event.preventDefault()
          tell(String(new FormData(event.currentTarget).get('q') ?? ''), 0)
        }}
      >
        <label htmlFor={id} className="sr-only">
          {label}
        </label>
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-ink-3"
        />
        <Input
          ref={input}
          id={id}
          name="q"
          type="search"
          small
          data-search
          defaultValue={value}
          autoFocus={false}
          placeholder={label}
          onChange={(event) => tell(event.target.value, typingPauseMs)}
          className="pl-8!"
        />
      </form>
    </search>
  )
}
