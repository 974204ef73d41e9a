import { createLink } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import {
  type AnchorHTMLAttributes,
  type ButtonHTMLAttributes,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import { cx } from '#lib/cx.ts'
import { useSmallScreen } from '#lib/small-screen.ts'
import { buttonClass, type ButtonSize, type ButtonVariant } from '#ui/button.tsx'
import { useHeadless, whenLoaded } from '#ui/headless.ts'

export type MenuPlace = 'bottom start' | 'bottom end' | 'top start' | 'top end'

interface MenuProps {
  /** Names the button when its content is not text. */
  readonly label?: string | undefined
  readonly button: ReactNode
  readonly variant?: ButtonVariant
  readonly size?: ButtonSize
  readonly square?: boolean
  readonly place?: MenuPlace
  /** A look of its own instead of a button's. */
  readonly buttonClassName?: string
  readonly widthClassName?: string
  /** An attribute by which the button is found. */
  readonly buttonMark?: `data-${string}`
  readonly children: ReactNode
}

/** From its first use on. */
function UsedMenu(props: MenuProps & { readonly buttonRef: (button: HTMLElement | null) => void }) {
  const {
    buttonRef,
    label,
    button,
    place = 'bottom end',
    widthClassName = 'min-w-[220px]',
    buttonMark,
    children,
  } = props
  const isSmall = useSmallScreen()
  const { Menu: Root, MenuButton, MenuItems } = useHeadless()
  return (
    <Root>
      {({ open }) => (
        <>
          {open &&
            isSmall &&
            createPortal(<div aria-hidden="true" className="fixed inset-0 z-(--gl-z-scrim) bg-scrim" />, document.body)}
          <MenuButton
            ref={buttonRef}
            {...(buttonMark && { [buttonMark]: '' })}
            aria-label={label}
            className={classOf(props)}
          >
            {button}
          </MenuButton>
          <MenuItems
            transition
            modal={isSmall}
            anchor={{ to: place, gap: 4, padding: 8 }}
            className={cx(
              'z-(--gl-z-menu) rounded-lg bg-raised p-[5px] shadow-menu transition-[opacity,translate] duration-(--gl-dur-base) ease-out focus:outline-none data-closed:translate-y-(--gl-nudge) data-closed:opacity-0',
              widthClassName,
            )}
          >
            {children}
          </MenuItems>
        </>
      )}
    </Root>
  )
}

/**
 * A button and the menu it opens. Arrows move, typing finds (the text typed is forgotten after 350 ms),
 * Escape closes. Children are `MenuAction`, `MenuLink`, `MenuChoice` and `MenuLine`.
 * On a small screen it covers what a finger would hit beside it: the page behind is dimmed, inert and still.
 *
 * Most are never opened, and a menu at rest costs more than all else in a row or a head, while a page begins and
 * while a list is scrolled: it is a plain button until it is used.
 */
export function Menu(props: MenuProps) {
  // Opens the menu as soon as its own button stands in the place of the plain one.
  const [open, setOpen] = useState<(button: HTMLElement | null) => void>()
  if (open) return <UsedMenu {...props} buttonRef={open} />
  const { label, button, buttonMark } = props
  // The plain button stays, with the focus, until its successor can stand there.
  const openBy = (key: string) => whenLoaded(() => setOpen(() => (own: HTMLElement | null) => own && press(own, key)))
  return (
    <button
      type="button"
      {...(buttonMark && { [buttonMark]: '' })}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      className={classOf(props)}
      // A click without a pointer is a key's, which goes to the first entry.
      onClick={({ detail }) => openBy(detail === 0 ? 'Enter' : '')}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
        event.preventDefault()
        event.stopPropagation()
        openBy(event.key)
      }}
    >
      {button}
    </button>
  )
}

function press(button: HTMLElement, key: string): void {
  button.focus({ preventScroll: true })
  if (key === '') button.click()
  else button.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
}

function classOf({ buttonClassName, variant = 'secondary', size = 'sm', square = false }: MenuProps): string {
  return buttonClassName ?? buttonClass({ variant, size, square })
}

const itemClass = (danger = false) =>
  cx(
    'flex min-h-8 w-full items-center gap-2.5 rounded-[6px] px-[9px] text-left whitespace-nowrap data-focus:bg-raised-hover data-disabled:text-ink-3 max-md:min-h-11',
    'focus-visible:outline-none [&_.lucide]:size-4',
    danger ? 'text-red-ink' : '[&_.lucide]:text-ink-3',
  )

interface EntryProps {
  readonly icon?: ReactNode
  /** Stands at the right end. */
  readonly end?: ReactNode
  readonly children: ReactNode
}

/** Something to do. */
export function MenuAction({
  icon,
  end,
  danger = false,
  disabled = false,
  onClick,
  children,
}: EntryProps & { readonly danger?: boolean; readonly disabled?: boolean; readonly onClick: () => void }) {
  const { MenuItem: Item } = useHeadless()
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
          // The router takes over the click, and what is taken over does not close the menu by itself.
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

/** One of several choices, or one of several that may be on together; the menu stays open while choosing many. */
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

/** A line between groups. */
export function MenuLine() {
  const { MenuSeparator } = useHeadless()
  return <MenuSeparator as="div" className="-mx-[5px] my-[5px] border-t border-line dark:border-line-strong" />
}

/** A row of icons of which one is chosen, such as the theme. */
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
    // The menu takes the role from every element that does not state one.
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
/** The menu gives every item the role `menuitem`; a choice has to say what it is. */
function choice(role: 'menuitemradio' | 'menuitemcheckbox') {
  return function ChoiceItem({ checked, ...rest }: ChoiceProps) {
    return <button {...rest} type="button" role={role} aria-checked={checked} />
  }
}
const RadioItem = choice('menuitemradio')
const CheckboxItem = choice('menuitemcheckbox')
