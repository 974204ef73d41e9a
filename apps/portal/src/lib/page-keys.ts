/** Page-specific shortcuts: they click an element with the matching `data-key`, or act on the focused row. */
import type { Keys } from '#lib/keyboard.ts'

/** Maps each key to a click on the button or link with that `data-key`. */
export function clickKeys(...names: readonly string[]): Keys {
  const press = (name: string) => () => document.querySelector<HTMLElement>(`main [data-key="${name}"]`)?.click()
  return Object.fromEntries(names.map((name) => [name, press(name)]))
}

/** The ID of the focused row. */
export function focusedRow(): string | undefined {
  return document.activeElement?.closest<HTMLElement>('tr[data-row]')?.dataset['row']
}
