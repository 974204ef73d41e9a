import { type ReactNode, useEffect, useRef } from 'react'
import { isFocusLost } from '#lib/focus.ts'
import { pageWords } from '#lib/page-words.ts'

const { steps } = pageWords.onboarding

/** Where somebody who uses the keyboard begins to read a step. */
const begins = 'data-step-head'

/** When `key` changes, whoever stood on something that went away with it begins at the head of the step. */
export function useStepFocus(key: string | undefined): void {
  const last = useRef(key)
  useEffect(() => {
    if (last.current !== undefined && last.current !== key && isFocusLost())
      document.querySelector<HTMLElement>(`[${begins}]`)?.focus()
    last.current = key
  }, [key])
}

/** What a step begins with; reached by script alone. */
export function StepStart({ children }: { readonly children: ReactNode }) {
  return (
    <div {...{ [begins]: '' }} tabIndex={-1} className="rounded-md outline-offset-4">
      {children}
    </div>
  )
}

/** The question of a step, and a sentence that helps to answer it. */
export function StepHead({ of }: { readonly of: keyof typeof steps }) {
  const { title, text } = steps[of]
  return (
    <StepStart>
      <h2 className="text-16 font-semibold tracking-[-.01em]">{title}</h2>
      <p className="mt-1 text-14 text-ink-2">{text}</p>
    </StepStart>
  )
}
