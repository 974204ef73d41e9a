/** The frame in which the kit shows its pieces. */
import type { ReactNode } from 'react'

/** What is shown, under its title. */
export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid gap-6 border-t border-line py-6 md:grid-cols-[180px_minmax(0,1fr)]">
      <h2 className="text-13 font-semibold">{title}</h2>
      <div className="grid min-w-0 gap-3">{children}</div>
    </section>
  )
}

/** Pieces beside each other. */
export function Row({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-x-5 gap-y-2.5">{children}</div>
}
