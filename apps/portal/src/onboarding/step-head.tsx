import type { ReactNode } from 'react'

/** The question of a step, and a sentence that helps to answer it. */
export function StepHead({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <h2 className="text-16 font-semibold tracking-[-.01em]">{title}</h2>
      <p className="mt-1 text-14 text-ink-2">{children}</p>
    </div>
  )
}
