/** The entries of a `Menu`: actions, links, choices, and separators. */
import type { CallName } from '@glacis/contract/permissions'
import { createLink } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, MouseEvent, ReactNode, Ref } from 'react'
import { cx } from '#lib/cx.ts'
import { useDenial } from '#lib/role.ts'
import { useHeadless } from '#ui/headless.ts'

const itemClass = (danger = false) =>
  cx(
    'flex min-h-8 w-full items-center gap-2.5 rounded-[6px] px-[9px] text-left whitespace-nowrap data-focus:bg-raised-hover data-disabled:text-ink-3 max-md:min-h-11',
    'focus-visible:outline-none [&_.lucide]:size-4',
    danger ? 'text-red-ink' : '[&_.lucide]:text-ink-3',
  )

interface EntryProps {
  readonly icon?: ReactNode
  /** Shown at the right end. */
  readonly end?: ReactNode
  readonly children: ReactNode
}

interface ActionProps extends EntryProps {
  readonly danger?: boolean
  readonly disabled?: boolean
  /** The call that the action makes or leads to. A role that doesn't allow it hides the action. */
  readonly call?: CallName
  readonly onClick: () => void
}

/** An action. */
export function MenuAction({ icon, end, danger = false, disabled = false, call, onClick, children }: ActionProps) {
  const { MenuItem: Item } = useHeadless()
  if (useDenial(call)) return null
  return (
    <Item as="button" type="button" disabled={disabled} onClick={onClick} className={itemClass(danger)}>
      <Entry icon={icon} end={end}>
        {children}
      </Entry>
    </Item>
  )
}

/** A link to another site or a file. */
export function MenuAnchor({ icon, end, children, ...rest }: EntryProps & AnchorHTMLAttributes<HTMLAnchorElement>) {
  const { MenuItem: Item } = useHeadless()
  return (
    <Item as="a" {...rest} className={itemClass()}>
      <Entry icon={icon} end={end}>
        {children}
      </Entry>
    </Item>
  )
}

function RoutedAnchor({
  icon,
  end,
  children,
  ...rest
}: EntryProps & AnchorHTMLAttributes<HTMLAnchorElement> & { readonly ref?: Ref<HTMLAnchorElement> }) {
  const { MenuItem: Item } = useHeadless()
  return (
    <Item>
      {({ close }) => (
        <a
          {...rest}
          href={rest.href}
          // The router prevents the click's default action, so the menu must be closed explicitly.
          onClick={(event) => {
            rest.onClick?.(event)
            close()
          }}
          className={itemClass()}
        >
          <Entry icon={icon} end={end}>
            {children}
          </Entry>
        </a>
      )}
    </Item>
  )
}
/** A link inside the portal. */
export const MenuLink = createLink(RoutedAnchor)

/** A radio or checkbox entry. The menu stays open while selecting multiple values. */
export function MenuChoice({
  kind = 'radio',
  checked,
  onClick,
  icon,
  children,
}: EntryProps & { readonly kind?: 'radio' | 'checkbox'; readonly checked: boolean; readonly onClick: () => void }) {
  const { MenuItem: Item } = useHeadless()
  return (
    <Item
      as={kind === 'radio' ? RadioItem : CheckboxItem}
      checked={checked}
      onClick={(event: MouseEvent) => {
        if (kind === 'checkbox') event.preventDefault()
        onClick()
      }}
      className={itemClass()}
    >
      <Entry icon={icon} end={checked && <Check className="text-ink!" />}>
        {children}
      </Entry>
    </Item>
  )
}

/** A separator between groups. */
export function MenuDivider() {
  const { MenuSeparator } = useHeadless()
  // At an end, when the role hides the actions beyond it.
  const atEnd = 'first:hidden last:hidden'
  return (
    <MenuSeparator as="div" className={cx('-mx-[5px] my-[5px] border-t border-line dark:border-line-strong', atEnd)} />
  )
}

/** A row of icons with one selected, such as the theme. */
export function MenuChoiceRow<Value extends string>({
  label,
  options,
  value,
  onChoose,
}: {
  readonly label: string
  readonly options: readonly { readonly value: Value; readonly label: string; readonly icon: ReactNode }[]
  readonly value: Value
  readonly onChoose: (value: Value) => void
}) {
  const { MenuItem: Item } = useHeadless()
  return (
    // The menu overrides the role of elements that don't set one.
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
    <div role="group" aria-label={label} className="flex items-center justify-between py-1.5 pr-[3px] pl-[9px]">
      <span aria-hidden="true">{label}</span>
      <span role="none" className="inline-flex rounded-md bg-n4 p-0.5 dark:bg-n4">
        {options.map((option) => (
          <Item
            key={option.value}
            as={RadioItem}
            checked={option.value === value}
            aria-label={option.label}
            title={option.label}
            onClick={(event: MouseEvent) => {
              event.preventDefault()
              onChoose(option.value)
            }}
            className="inline-flex h-7 items-center rounded-sm px-[9px] text-ink-2 aria-checked:bg-surface aria-checked:text-ink aria-checked:shadow-xs aria-checked:ring-1 aria-checked:ring-line data-focus:text-ink data-focus:outline-2 data-focus:-outline-offset-2 data-focus:outline-focus dark:aria-checked:bg-n5 dark:aria-checked:ring-n6 [&_.lucide]:size-4"
          >
            {option.icon}
          </Item>
        ))}
      </span>
    </div>
  )
}

function Entry({ icon, end, children }: EntryProps) {
  return (
    <>
      {icon}
      <span className="min-w-0 truncate">{children}</span>
      {end && <span className="ml-auto inline-flex pl-3 text-ink-3">{end}</span>}
    </>
  )
}

type ChoiceProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly checked: boolean
  readonly ref?: Ref<HTMLButtonElement>
}
/** The menu gives every item the role `menuitem`; choices set a more specific role. */
function choice(role: 'menuitemradio' | 'menuitemcheckbox') {
  return function ChoiceItem({ checked, ...rest }: ChoiceProps) {
    return <button {...rest} type="button" role={role} aria-checked={checked} />
  }
}
const RadioItem = choice('menuitemradio')
const CheckboxItem = choice('menuitemcheckbox')
