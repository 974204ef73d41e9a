import { type ReactNode, useEffect, useRef } from 'react'
import { isFocusLost } from '#lib/focus.ts'

/** Heading and description of each step. */
const steps = {
  TARGET: {
    title: 'What should Glacis monitor?',
    text: "Enter an address you're authorized to scan. If you enter a range, Glacis connects to every address in it.",
  },
  AGENT: {
    title: 'Where should Glacis scan from?',
    text: 'You can use both and choose per target.',
  },
  SCAN: {
    title: 'Run the first scan',
    text: 'The scan finds hosts and open ports, identifies software, and confirms vulnerabilities with read-only checks.',
  },
  NOTIFICATIONS: {
    title: 'How should Glacis notify you?',
    text: 'About new and regressed risks, emerging threats, failed scans, and disconnected agents.',
  },
}

/** Marks the element that receives focus when a step starts. */
const stepStartAttribute = 'data-step-head'

/** When `key` changes and the focused element was removed, moves focus to the start of the step. */
export function useStepFocus(key: string | undefined): void {
  const last = useRef(key)
  useEffect(() => {
    if (last.current !== undefined && last.current !== key && isFocusLost())
      document.querySelector<HTMLElement>(`[${stepStartAttribute}]`)?.focus()
    last.current = key
  }, [key])
}

/** Start of a step, focusable only by script. */
export function StepStart({ children }: { readonly children: ReactNode }) {
  return (
    <div {...{ [stepStartAttribute]: '' }} tabIndex={-1} className="rounded-md outline-offset-4">
      {children}
    </div>
  )
}

export function StepHead({ of }: { readonly of: keyof typeof steps }) {
  const { title, text } = steps[of]
  return (
    <StepStart>
      <h2 className="text-16 font-semibold tracking-[-.01em]">{title}</h2>
      <p className="mt-1 text-14 text-ink-2">{text}</p>
    </StepStart>
  )
}
