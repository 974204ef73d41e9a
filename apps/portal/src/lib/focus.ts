/**
 * Blurs the page title before its page unmounts. Removing a focused element makes the browser recalculate the styles
 * of a half-rendered page.
 */
export function blurPageTitle(): void {
  const { activeElement } = document
  if (activeElement instanceof HTMLElement && activeElement.matches('h1[tabindex="-1"]')) activeElement.blur()
}

/** Focuses the title of a new page, so that screen reader and keyboard users start there. */
export function focusPageTitle(): void {
  const title = document.querySelector<HTMLElement>('h1[tabindex="-1"]')
  // A form field with autofocus, or a dialog that opens with the page, keeps the focus.
  const active = document.activeElement
  if (active && active.closest('form, [role=dialog]')) return
  title?.focus({ preventScroll: true })
}

/**
 * If the focused element was removed, focuses the page title, so that keyboard users don't start over at the top of
 * the document.
 */
export function restoreFocus(): void {
  if (isFocusLost()) focusPageTitle()
}

export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}
