/** A keyboard key. */
export function Key({ children }: { readonly children: string }) {
  return (
    <kbd className="inline-grid h-5 min-w-5 place-items-center rounded-[4px] border border-line-strong bg-inset px-1.5 font-mono text-[11px] text-ink-2">
      {children}
    </kbd>
  )
}
