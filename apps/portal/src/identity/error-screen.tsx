import { useState } from 'react'
import { AuthTitle } from '#identity/auth-layout.tsx'
import type { StoredError } from '#identity/client.ts'
import { Button, ButtonLink } from '#ui/button.tsx'

/** What the identity service says of an error that it stored, or the id alone when it knows nothing of it. */
export function FlowErrorScreen({ id, stored }: { readonly id: string; readonly stored: StoredError | null }) {
  const [isShown, setIsShown] = useState(false)
  const { message, reason, code, id: name } = stored?.error ?? {}
  const lines = [message, reason, code && `Status ${code}`, name && `Error ${name}`, `Reference ${id}`]
  return (
    <>
      <AuthTitle title="Something went wrong!">{reason ?? message ?? wordsFor(id)}</AuthTitle>
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

function wordsFor(id: string): string {
  if (id === 'security_csrf_violation')
    return 'The browser did not keep the cookie of this sign-in. Allow cookies and try again.'
  if (id === 'self_service_flow_return_to_forbidden')
    return 'The address to return to does not belong to this installation.'
  if (id === 'self_service_flow_disabled') return 'Accounts are made by the people who run this installation.'
  return 'The sign-in could not be completed.'
}
