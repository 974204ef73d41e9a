import { useState } from 'react'
import { AuthTitle } from '#identity/auth-layout.tsx'
import type { StoredError } from '#identity/client.ts'
import { Button, ButtonLink } from '#ui/button.tsx'

/** Shows an error stored by the identity service, or only its ID if the service no longer has it. */
export function FlowErrorScreen({ id, stored }: { readonly id: string; readonly stored: StoredError | null }) {
  const [isShown, setIsShown] = useState(false)
  const { message, reason, code, id: name } = stored?.error ?? {}
  const lines = [message, reason, code && `Status ${code}`, name && `Error ${name}`, `Reference ${id}`]
  return (
    <>
      <AuthTitle title="Something went wrong!">
        {code === 404 ? expiredLink : (reason ?? message ?? messageFor(id))}
      </AuthTitle>
      <div className="mt-6 flex flex-wrap gap-2">
        <ButtonLink to="/login" variant="primary">
          Back to sign in
        </ButtonLink>
        <Button aria-expanded={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? 'Hide Error' : 'Show Error'}
        </Button>
      </div>
      {isShown && (
        <pre className="mt-4 overflow-x-auto rounded-[8px] border border-line bg-inset px-3.5 py-2.5 font-mono text-[12px]/[19px] whitespace-pre-wrap text-ink-2">
          {lines.filter(Boolean).join('\n')}
        </pre>
      )}
    </>
  )
}

/** Such as the link of a flow that has since been deleted. */
const expiredLink = 'This link is no longer valid. Sign in, or request a new link.'

function messageFor(id: string): string {
  if (id === 'security_csrf_violation')
    return "Your browser didn't send the sign-in cookie. Allow cookies and try again."
  if (id === 'self_service_flow_return_to_forbidden')
    return "The URL to return to doesn't belong to this installation. Sign in again."
  if (id === 'self_service_flow_disabled') return 'Sign-up is disabled. Ask your administrator for an account.'
  return "The sign-in couldn't be completed. Go back and try again."
}
