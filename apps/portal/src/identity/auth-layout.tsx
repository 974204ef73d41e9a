import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { portalConfig } from '#lib/portal-config.ts'
import { Brand } from '#ui/brand.tsx'
import { useDocumentTitle } from '#ui/page-head.tsx'

/** Layout of the public screens: logo, content, footer links, and decoration. */
export function AuthLayout({ children }: { readonly children: ReactNode }) {
  const { helpUrl, apiDocsUrl, licenceUrl } = portalConfig()
  return (
    <div className="grid min-h-dvh grid-cols-1 md:grid-cols-[minmax(480px,44%)_minmax(0,1fr)]">
      <div className="flex flex-col px-5 pt-5 pb-6 md:px-10 md:py-7">
        <header>
          <Link to="/" aria-label="Glacis, home" className="inline-block">
            <Brand />
          </Link>
        </header>
        <main className="grid flex-1 content-start justify-items-center py-6 pt-12 md:content-center md:pt-6">
          <div className="w-full max-w-[360px]">{children}</div>
        </main>
        <footer className="flex gap-5 text-12 text-ink-3 [&_a:hover]:text-ink [&_a:hover]:underline">
          <a href={helpUrl}>Help</a>
          <a href={apiDocsUrl}>API documentation</a>
          <a href={licenceUrl}>License</a>
        </footer>
      </div>
      <Slope />
    </div>
  )
}

/** Title and description of a screen. Also sets the document title. */
export function AuthTitle({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  useDocumentTitle(title)
  return (
    <>
      <h1 tabIndex={-1} className="text-24 font-semibold tracking-[-.02em]">
        {title}
      </h1>
      {children && <p className="mt-1 text-14 text-ink-2">{children}</p>}
    </>
  )
}

/** A line below a form that links to another screen. */
export function AuthAside({ children }: { readonly children: ReactNode }) {
  return <p className="mt-6 text-center text-ink-2">{children}</p>
}

function Slope() {
  return <div aria-hidden="true" className="slope relative border-l border-line bg-canvas max-md:hidden" />
}
