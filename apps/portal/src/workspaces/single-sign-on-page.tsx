/** `/single-sign-on`: why the sign-in with the provider of a workspace failed, with an external identity service. */
import type { SignInFailure } from '@glacis/contract/sign-in-provider'
import { useQuery } from '@tanstack/react-query'
import { providerOf } from '#workspaces/sign-in-queries.ts'
import { ButtonAnchor } from '#ui/button.tsx'
import { useDocumentTitle } from '#ui/page-head.tsx'

interface Props {
  readonly workspace: string
  readonly reason: SignInFailure
  readonly returnTo: string | undefined
}

export function SingleSignOnPage({ workspace, reason, returnTo }: Props) {
  useDocumentTitle('Single sign-on failed')
  const { data } = useQuery(providerOf(workspace))
  const label = data?.provider?.label ?? "your organization's provider"
  const again = addressOf(workspace, returnTo)
  return (
    <div className="grid gap-4">
      <h1 className="text-24 font-semibold wrap-anywhere">
        {reason === 'unknown' ? 'No single sign-on' : `Couldn't sign in with ${label}`}
      </h1>
      <p role="alert" className="text-ink-2">
        {explanations[reason](label)}
      </p>
      {reason === 'unverified' ? (
        <ButtonAnchor variant="primary" block href={`/verification?return_to=${encodeURIComponent(again)}`}>
          Verify your email
        </ButtonAnchor>
      ) : (
        reason !== 'unknown' && (
          <ButtonAnchor variant="primary" block href={again}>
            Try again
          </ButtonAnchor>
        )
      )}
      <ButtonAnchor block href="/overview">
        Open Glacis
      </ButtonAnchor>
      <ButtonAnchor block href={`/logout?return_to=${encodeURIComponent(again)}`}>
        Sign in as someone else
      </ButtonAnchor>
    </div>
  )
}

const explanations: Readonly<Record<SignInFailure, (label: string) => string>> = {
  session: () => 'Your session ended or changed in the meantime. Sign in and try again.',
  unknown: () => "This workspace doesn't use single sign-on.",
  unreachable: (label) => `${label} can't be reached. Try again later.`,
  expired: () => 'The sign-in expired, or was started in another browser.',
  denied: (label) => `${label} denied the sign-in.`,
  failed: (label) => `The response from ${label} is invalid. If this happens again, contact your administrator.`,
  mismatch: (label) =>
    `You signed in to ${label} with another account. Its email address must be that of your Glacis account. Sign out of ${label} and try again.`,
  unverified: () => "The email address of your Glacis account isn't verified.",
  domain: () => "The email address of your Glacis account isn't in one of the workspace's verified domains.",
}

function addressOf(workspace: string, returnTo: string | undefined): string {
  const query = new URLSearchParams({ workspace, ...(returnTo && { return_to: returnTo }) })
  return `${location.origin}/single-sign-on?${query}`
}
