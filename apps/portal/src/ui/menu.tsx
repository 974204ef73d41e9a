import type { CallName } from '@glacis/contract/permissions'
import { type ReactNode, useState } from 'react'
import { createPortal } from 'react-dom'
import { cx } from '#lib/cx.ts'
import { useDenial } from '#lib/role.ts'
import { useSmallScreen } from '#lib/small-screen.ts'
import { buttonClass, DeniedButton, deniedClass, type ButtonSize, type ButtonVariant } from '#ui/button.tsx'
import { preloadHeadless, useHeadless, whenLoaded } from '#ui/headless.ts'

export type MenuPlace = 'bottom start' | 'bottom end' | 'top start' | 'top end'

interface MenuProps {
  /** Accessible name of a button without text. */
  readonly label?: string | undefined
  readonly button: ReactNode
  readonly variant?: ButtonVariant
  readonly size?: ButtonSize
  readonly square?: boolean
  readonly place?: MenuPlace
  /** Replaces the button classes. */
  readonly buttonClassName?: string
  readonly widthClassName?: string
  /** An attribute to find the button by. */
  readonly buttonMark?: `data-${string}`
  /** The call that every entry makes or leads to. A role that doesn't allow it disables the menu, or hides it if its button is only an icon. */
  readonly call?: CallName
  readonly children: ReactNode
}

/** The menu after its first use. */
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
 * A button with a menu. Arrows move, typing searches (the text resets after 350 ms), Escape closes. Children are
 * the entries of `menu-entries.tsx`. On small screens the page behind is dimmed, inert, and can't
 * scroll, so that a finger doesn't hit other controls.
 *
 * Most menus are never opened, and a mounted Headless UI menu is the most expensive part of a row to render. Until
 * first used, it is a plain button.
 */
export function Menu(props: MenuProps) {
  // Opens the menu as soon as its button has replaced the plain one.
  const [open, setOpen] = useState<(button: HTMLElement | null) => void>()
  const denial = useDenial(props.call)
  if (denial) return props.square ? null : <DeniedMenu {...props} reason={denial} />
  if (open) return <UsedMenu {...props} buttonRef={open} />
  const { label, button, buttonMark } = props
  // The plain button keeps the focus until the menu's own button replaces it.
  const openBy = (key: string) => whenLoaded(() => setOpen(() => (own: HTMLElement | null) => own && press(own, key)))
  return (
    <button
      type="button"
      {...(buttonMark && { [buttonMark]: '' })}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      className={classOf(props)}
      onPointerEnter={preloadHeadless}
      onFocus={preloadHeadless}
      // A click without a pointer comes from the keyboard and focuses the first entry.
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

function DeniedMenu({
  reason,
  label,
  button,
  buttonClassName,
  ...appearance
}: MenuProps & { readonly reason: string }) {
  const { variant, size = 'sm' } = appearance
  return (
    <DeniedButton
      type="button"
      aria-label={label}
      reason={reason}
      className={buttonClassName ?? deniedClass({ variant, size })}
    >
      {button}
    </DeniedButton>
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
