import { ArrowLeft } from 'lucide-react'
import { AuthLayout } from '#identity/auth-layout.tsx'
import { ButtonLink } from '#ui/button.tsx'
import { useDocumentTitle } from '#ui/page-head.tsx'

/** The view of an unknown URL. */
export function NotFoundScreen() {
  useDocumentTitle('Page not found')
  return (
    <AuthLayout>
      <p className="text-44 font-medium tracking-figure text-link tabular-nums">404</p>
      <h1 tabIndex={-1} className="mt-2 text-24 font-semibold tracking-[-.02em]">
        Page not found
      </h1>
      <p className="mt-1 text-14 text-ink-2">Sorry, we couldn’t find the page you’re looking for.</p>
      <div className="mt-6">
        <ButtonLink to="/" variant="primary" icon={<ArrowLeft aria-hidden="true" />}>
          Go back home
        </ButtonLink>
      </div>
    </AuthLayout>
  )
}
