import { createLink } from '@tanstack/react-router'
import { type AnchorHTMLAttributes, Children, Fragment, type ReactNode, type Ref, useEffect } from 'react'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { lastSearchOf } from '#lib/last-list.ts'

/** The page header: breadcrumb, h1, and actions. The h1 receives focus on navigation. Also sets the window title. */
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
  /** Window title, if `title` isn't plain text. */
  readonly documentTitle?: string
  /** `Crumb` links to the parent pages. */
  readonly crumbs?: ReactNode
  /** Short name of this page in the breadcrumb. */
  readonly here?: ReactNode
  readonly count?: number | undefined
  /** Shown beside the title: a badge or status. */
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
      {/* The title keeps a readable width and the actions wrap below it. */}
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
            <p className="max-w-[80ch] text-pretty text-ink-2">{description}</p>
          </div>
        )}
      </div>
    </header>
  )
}

function Slash() {
  return <li aria-hidden="true">/</li>
}

/** Sets the window title while the page is mounted. */
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

const CrumbLink = createLink(CrumbAnchor)

/** A breadcrumb link to a list. It keeps the filters with which this page was opened. */
export function Crumb({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <CrumbLink to={to} search={lastSearchOf(to)}>
      {children}
    </CrumbLink>
  )
}
