/**
 * Takes the focus off the title of a page that is about to go. A browser that has what holds the focus taken away from
 * under it looks through the styles of a page that is half drawn.
 */
export function leavePageTitle(): void {
  const { activeElement } = document
  if (activeElement instanceof HTMLElement && activeElement.matches('h1[tabindex="-1"]')) activeElement.blur()
}

/** Moves the focus to the title of a new page, so that screen readers and keyboards begin there. */
export function focusPageTitle(): void {
  const title = document.querySelector<HTMLElement>('h1[tabindex="-1"]')
  // A field that asked for the focus, or a dialog that opened with the page, keeps it.
  const active = document.activeElement
  if (active && active.closest('form, [role=dialog]')) return
  title?.focus({ preventScroll: true })
}

/**
 * Where what held the focus has gone, it goes to the title of the page: whoever uses the keyboard does not begin again
 * at the top. Focus that somebody has stays where it is.
 */
export function regainFocus(): void {
  if (isFocusLost()) focusPageTitle()
}

export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}
