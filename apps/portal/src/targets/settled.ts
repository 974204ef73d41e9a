/** What somebody types, once they have stopped for a moment; and where they are needed next. */
import { useEffect, useState } from 'react'

/** How long a pause in typing is before an address is checked, in milliseconds. */
export const pauseMs = 350

/** The value once it has stood still. */
export function useSettled(value: string, waitMs: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), waitMs)
    return () => clearTimeout(timer)
  }, [value, waitMs])
  return settled
}

/** Leads to the first field of a form that has a problem, once it is on the page. */
export function focusFirst(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid] input')?.focus())
}
