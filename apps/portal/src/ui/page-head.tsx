import { createLink } from '@tanstack/react-router'
import { type AnchorHTMLAttributes, Children, Fragment, type ReactNode, type Ref, useEffect } from 'react'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'

/**
 * The head of a page: where one is, its one H1, and what can be done with it.
 * The focus moves to the H1 when the route changes. It also names the window.
 */
export function PageHead({
  title,
  documentTitle,
  crumbs,
  here,
  count,
  aside,
  description,
  actions,
}: {
  readonly title: ReactNode
  /** The window's title when `title` is more than a text. */
  readonly documentTitle?: string
  /** `Crumb` links to the pages above this one. */
  readonly crumbs?: ReactNode
  /** This page, in short, after its crumbs. */
  readonly here?: ReactNode
  readonly count?: number | undefined
  /** Stands beside the title: a badge, a status. */
  readonly aside?: ReactNode
  readonly description?: ReactNode
  /** Secondary before primary; at most one primary. */
  readonly actions?: ReactNode
}) {
  useDocumentTitle(documentTitle ?? (typeof title === 'string' ? title : ''))
  return (
    <header className="px-(--gl-gutter) pt-5 max-md:pt-4">
      {crumbs && (
        <nav aria-label="Breadcrumb" className="mb-1.5">
          <ol className="flex items-center gap-1.5 text-ink-3">
            {Children.toArray(crumbs).map((crumb, index) => (
              <Fragment key={index}>
                {index > 0 && <Slash />}
                <li className="flex-none">{crumb}</li>
              </Fragment>
            ))}
            {here && (
              <>
                <Slash />
                <li aria-current="page" className="min-w-0 truncate">
                  {here}
                </li>
              </>
            )}
          </ol>
        </nav>
      )}
      {/* The title keeps a readable width and what can be done wraps below it. */}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1
          tabIndex={-1}
          className="max-w-max min-w-0 grow basis-64 py-1 text-20 font-semibold tracking-title wrap-anywhere"
        >
          {title}
          {count !== undefined && (
            <span className="ml-1.5 font-normal text-ink-3 tabular-nums">{formatNumber(count)}</span>
          )}
        </h1>
        {aside}
        {actions && (
          <div
            className={cx(
              'ml-auto flex max-w-full flex-none flex-wrap items-center gap-2',
              Boolean(crumbs) && 'max-md:w-full max-md:[&>*]:flex-1',
            )}
          >
            {actions}
          </div>
        )}
        {description && (
          <div className="-mt-1.5 w-full">
            <p className="max-w-[80ch] text-ink-2">{description}</p>
          </div>
        )}
      </div>
    </header>
  )
}

function Slash() {
  return <li aria-hidden="true">/</li>
}

/** Names the window after the page, as long as the page is up. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Glacis` : 'Glacis'
  }, [title])
}

interface CrumbAnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly ref?: Ref<HTMLAnchorElement>
}
function CrumbAnchor({ children, ...rest }: CrumbAnchorProps) {
  return (
    <a {...rest} className="rounded-[4px] text-ink-2 underline-offset-3 hover:text-ink hover:underline">
      {children}
    </a>
  )
}

/** A link in the breadcrumb. */
export const Crumb = createLink(CrumbAnchor)
