/** Keys of one page: they press what carries them, or act on the row that holds the focus. */
import type { Keys } from '#lib/keyboard.ts'

/** Each key presses the button or link of the page that carries it as `data-key`. */
export function pressing(...names: readonly string[]): Keys {
  const press = (name: string) => () => document.querySelector<HTMLElement>(`main [data-key="${name}"]`)?.click()
  return Object.fromEntries(names.map((name) => [name, press(name)]))
}

/** The id of the row that holds the focus. */
export function focusedRow(): string | undefined {
  return document.activeElement?.closest<HTMLElement>('tr[data-row]')?.dataset['row']
}
