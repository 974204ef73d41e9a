/** Moves the focus to the title of a new page, so that screen readers and keyboards begin there. */
export function focusPageTitle(): void {
  const title = document.querySelector<HTMLElement>('h1[tabindex="-1"]')
  // A field that asked for the focus, or a dialog that opened with the page, keeps it.
  const active = document.activeElement
  if (active && active.closest('form, [role=dialog]')) return
  title?.focus({ preventScroll: true })
}
