/** Debounced input, and focus on the first invalid field. */
import { useEffect, useState } from 'react'

/** Debounce before an address is checked, in milliseconds. */
export const debounceMs = 350

/** The value after it hasn't changed for `waitMs`. */
export function useDebounced(value: string, waitMs: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), waitMs)
    return () => clearTimeout(timer)
  }, [value, waitMs])
  return settled
}

/** Focuses the first invalid field of a form after the next render. */
export function focusFirstInvalid(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid] input')?.focus())
}
