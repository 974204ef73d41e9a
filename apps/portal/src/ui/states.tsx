import { ChevronDown, ChevronUp, CircleAlert, RotateCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { cx } from '#lib/cx.ts'
import { Button } from '#ui/button.tsx'

interface StateProps {
  readonly icon?: ReactNode
  readonly title: string
  readonly children?: ReactNode
  /** Suggested actions. */
  readonly actions?: ReactNode
  /** The state replaces the whole page, so its title is the h1. */
  readonly isPage?: boolean
}

/** An empty state: explains the situation and suggests the next step. */
export function EmptyState({ icon, title, children, actions, isPage = false }: StateProps) {
  const Title = isPage ? 'h1' : 'h2'
  return (
    <div className="grid flex-1 place-content-center justify-items-center px-6 py-18 text-center">
      {icon && <IconTile>{icon}</IconTile>}
      <Title tabIndex={isPage ? -1 : undefined} className="text-16 font-semibold tracking-[-.01em]">
        {title}
      </Title>
      {children && <div className="mt-1 max-w-[44ch] text-14 text-balance text-ink-2">{children}</div>}
      {actions && <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  )
}

/** "The server returned 503 Service Unavailable.", from a failed call. */
export function loadErrorText(error: unknown): string {
  const { status, statusText } = (error ?? {}) as { status?: unknown; statusText?: unknown }
  const hasStatus = typeof status === 'number' && status > 0 && typeof statusText === 'string'
  return hasStatus ? `The server returned ${status} ${statusText}.` : "The server couldn't be reached."
}

/** A failed load; `message` says why. */
export function ErrorState({
  title,
  message,
  onRetry,
  icon,
}: {
  readonly title: string
  readonly message: string
  readonly onRetry?: () => void
  readonly icon?: ReactNode
}) {
  return (
    <EmptyState
      icon={icon}
      title={title}
      actions={
        onRetry && (
          <Button size="sm" icon={<RotateCw />} onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      <p>{message}</p>
    </EmptyState>
  )
}

/** A section that failed to load, beside others that didn't. */
export function SectionError({ what, onRetry }: { readonly what: string; readonly onRetry: () => void }) {
  return (
    <div className="grid justify-items-start gap-2 py-2 text-ink-2">
      <p>{what} couldn't be loaded.</p>
      <Button size="sm" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

/** The view of an unexpected error; its message is shown on demand. */
export function UnexpectedError({
  error,
  isUnreachable = false,
  onRetry,
  plain = false,
}: {
  readonly error: unknown
  /** The server didn't respond, and the page retries by itself. */
  readonly isUnreachable?: boolean
  readonly onRetry?: () => void
  /** Without page padding. */
  readonly plain?: boolean
}) {
  const [isShown, setIsShown] = useState(false)
  const message = error instanceof Error ? error.message : String(error)
  return (
    <section
      className={cx(
        'grid justify-items-start gap-4',
        !plain && 'flex-1 content-start px-(--gl-gutter) py-22 max-md:py-10',
      )}
    >
      {!plain && (
        <span
          aria-hidden="true"
          className="grid size-10 place-items-center rounded-lg border border-red-edge bg-red-tint text-red-ink"
        >
          <CircleAlert className="size-5" />
        </span>
      )}
      <div>
        <h1 tabIndex={-1} className="text-20 font-semibold tracking-title">
          Something went wrong!
        </h1>
        {(isUnreachable || !plain) && (
          <p className="mt-1 text-14/5 text-ink-2">
            {isUnreachable
              ? "Glacis couldn't be reached. This page loads automatically when the connection is back."
              : "This part of the page couldn't be shown. The rest of Glacis still works."}
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        {onRetry && (
          <Button variant="primary" size="sm" icon={<RotateCw />} onClick={onRetry}>
            Try again
          </Button>
        )}
        <Button
          size="sm"
          icon={isShown ? <ChevronUp /> : <ChevronDown />}
          aria-expanded={isShown}
          onClick={() => setIsShown(!isShown)}
        >
          {isShown ? 'Hide Error' : 'Show Error'}
        </Button>
      </div>
      {isShown && (
        <pre className="max-w-[min(68ch,100%)] overflow-x-auto rounded-[8px] border border-line bg-inset px-3.5 py-2.5 font-mono text-[12px]/[19px] whitespace-pre-wrap text-ink-2">
          {message}
        </pre>
      )}
    </section>
  )
}

function IconTile({ children }: { readonly children: ReactNode }) {
  return (
    <span
      aria-hidden="true"
      className="mb-4 grid size-11 place-items-center rounded-[12px] border border-line-strong text-ink-2 [&_.lucide]:size-5"
    >
      {children}
    </span>
  )
}
