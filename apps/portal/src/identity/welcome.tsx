import { useQuery } from '@tanstack/react-query'
import { isValid, sessionQuery } from '#identity/session.ts'
import { ButtonLink } from '#ui/button.tsx'
import { useDocumentTitle } from '#ui/page-head.tsx'

/** The public start page. */
export function WelcomeScreen() {
  useDocumentTitle('')
  const session = useQuery({ ...sessionQuery(), throwOnError: false })
  return (
    <>
      <h1 tabIndex={-1} className="text-[32px]/[38px] font-semibold tracking-[-.028em]">
        Know your attack surface.
      </h1>
      <p className="mt-2.5 text-14 text-ink-2">
        Glacis scans your hosts, identifies their software, and shows you which risks to fix first.
      </p>
      <div className="mt-6 flex flex-wrap items-center gap-2 max-md:[&>a]:h-11">
        {isValid(session.data) ? (
          <ButtonLink to="/overview" variant="primary">
            Open overview
          </ButtonLink>
        ) : (
          <>
            <ButtonLink to="/login" variant="primary">
              Sign in
            </ButtonLink>
            <ButtonLink to="/registration" variant="secondary">
              Create an account
            </ButtonLink>
          </>
        )}
      </div>
    </>
  )
}
