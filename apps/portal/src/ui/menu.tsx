import { type ReactNode, useState } from 'react'
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
