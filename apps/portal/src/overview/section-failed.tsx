import { Button } from '#ui/button.tsx'

/** A section that could not be loaded, among others that could. */
export function SectionFailed({ what, onRetry }: { readonly what: string; readonly onRetry: () => void }) {
  return (
    <div className="grid justify-items-start gap-2 py-2 text-ink-2">
      <p>{what} could not be loaded.</p>
      <Button size="sm" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}
