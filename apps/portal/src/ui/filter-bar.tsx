import { ChevronDown, ListFilter, Search, X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { cx } from '#lib/cx.ts'
import { Button, buttonClass } from '#ui/button.tsx'
import { SlideOver } from '#ui/dialog.tsx'
import { Input } from '#ui/field.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuChoice } from '#ui/menu-entries.tsx'

/**
 * The toolbar of a list: filters on the left, sort on the right. On phones, filters collapse into a panel. `Clear
 * filters` appears with the first active filter.
 */
export function FilterBar({
  filters,
  activeCount = 0,
  onClear,
  sort,
  search,
}: {
  readonly filters?: ReactNode
  /** Number of active filters. */
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
            focusFirstButton(currentTarget.closest('fieldset'))
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

/** Clearing filters removes the pressed button; moves focus to the first visible one. */
function focusFirstButton(place: Element | null): void {
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

/** A filter menu: shows its name, or "Target: DMZ Bern ×" while active. */
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
  /** Allows multiple values. */
  readonly many?: boolean
}) {
  const toggle = (value: Value) => {
    if (!many) return onChange(chosen.includes(value) ? [] : [value])
    onChange(chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value])
  }
  const chosenLabels = options.filter(({ value }) => chosen.includes(value)).map((option) => option.label)
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
            <span className="truncate">{isOn ? `${label}: ${chosenLabels.join(', ') || chosen.length}` : label}</span>
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
          {options.length === 0 && <p className="px-[9px] py-1.5 text-ink-3">No options</p>}
        </div>
      </Menu>
      {isOn && (
        <button
          type="button"
          aria-label={`Remove filter ${label}`}
          onClick={({ currentTarget }) => {
            focusFirstButton(currentTarget.parentElement)
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

/** A toggle button. */
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

/** Debounce of the search field, in milliseconds. */
const debounceMs = 300

/** The search field of a list, focused by `/`. Debounced while typing, immediate on Enter. */
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
  // The text can be ahead of the URL while typing, so only outside changes (a link, "Clear filters") overwrite it.
  useEffect(() => {
    if (input.current && input.current !== document.activeElement) input.current.value = value
  }, [value])
  const changeAfter = (text: string, waitMs: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onChange(text.trim()), waitMs)
  }
  return (
    <search className="w-60 min-w-0 max-md:flex-[1_1_180px]">
      <form
        className="relative"
        onSubmit={(event) => {
          event.preventDefault()
          changeAfter(String(new FormData(event.currentTarget).get('q') ?? ''), 0)
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
          onChange={(event) => changeAfter(event.target.value, debounceMs)}
          className="pl-8!"
        />
      </form>
    </search>
  )
}
