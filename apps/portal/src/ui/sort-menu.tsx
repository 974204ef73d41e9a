import { ArrowDownWideNarrow, ChevronDown } from 'lucide-react'
import { buttonClass } from '#ui/button.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuChoice } from '#ui/menu-entries.tsx'

interface SortMenuProps<Sort extends string> {
  readonly options: readonly { readonly value: Sort; readonly label: string }[]
  readonly value: Sort
  readonly onSort: (sort: Sort) => void
}

/** The sort order of a list. */
export function SortMenu<Sort extends string>({ options, value, onSort }: SortMenuProps<Sort>) {
  const label = options.find((option) => option.value === value)?.label
  return (
    <Menu
      label={`Sort: ${label}`}
      buttonClassName={buttonClass({ variant: 'ghost', size: 'sm' })}
      button={
        <>
          <ArrowDownWideNarrow aria-hidden="true" />
          {label}
          <ChevronDown className="size-3.5 text-ink-3" aria-hidden="true" />
        </>
      }
    >
      {options.map((option) => (
        <MenuChoice key={option.value} checked={option.value === value} onClick={() => onSort(option.value)}>
          {option.label}
        </MenuChoice>
      ))}
    </Menu>
  )
}
