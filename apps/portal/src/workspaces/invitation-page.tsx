/** `/invitation?token=…`: shows an invitation and accepts it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { errorAdvice, sentence } from '#api/advice.ts'
import { ApiFailure } from '#api/failure.ts'
import { roleHints, roleLabels } from '#lib/role-labels.ts'
import { accept, preview, switchTo } from '#workspaces/queries.ts'
import { Button, ButtonAnchor } from '#ui/button.tsx'
import { useDocumentTitle } from '#ui/page-head.tsx'
import { Spinner } from '#ui/spinner.tsx'

export function InvitationPage({ token }: { readonly token: string }) {
  useDocumentTitle('Invitation')
  const client = useQueryClient()
  const accepting = useMutation(accept)
  // Once accepted, it can't be previewed again.
  const { data, error } = useQuery({ ...preview(token), enabled: accepting.isIdle || accepting.isError })
  const join = () => accepting.mutate({ token }, { onSuccess: ({ workspaceId }) => switchTo(client, workspaceId) })
  if (error) return <Rejected error={error} />
  if (!data) return <Spinner />
  const { workspaceName, role, invitedBy } = data.invitation
  return (
    <div className="grid gap-4">
      <h1 className="text-24 font-semibold wrap-anywhere">Join {workspaceName}</h1>
      <p className="text-ink-2">
        {invitedBy} invited you. Your role: {roleLabels[role]}.
      </p>
      <p className="text-12 text-ink-3">{roleHints[role]}</p>
      {accepting.error && (
        <p role="alert" className="text-red-ink">
          {errorAdvice(accepting.error)}
        </p>
      )}
      <Button variant="primary" block loading={accepting.isPending} onClick={join}>
        Join {workspaceName}
      </Button>
    </div>
  )
}

function Rejected({ error }: { readonly error: Error }) {
  const isUnverified = error instanceof ApiFailure && error.reason === 'EMAIL_NOT_VERIFIED'
  return (
    <div className="grid gap-4">
      <h1 className="text-24 font-semibold">This invitation can't be used</h1>
      <p role="alert" className="text-ink-2">
        {error instanceof ApiFailure && error.serverMessage ? sentence(error.serverMessage) : errorAdvice(error)}
      </p>
      {isUnverified ? (
        <ButtonAnchor variant="primary" block href={`/verification?return_to=${encodeURIComponent(location.href)}`}>
          Verify your email
        </ButtonAnchor>
      ) : (
        <ButtonAnchor variant="primary" block href="/overview">
          Open Glacis
        </ButtonAnchor>
      )}
      <ButtonAnchor block href={`/logout?return_to=${encodeURIComponent(location.href)}`}>
        Sign in as someone else
      </ButtonAnchor>
    </div>
  )
}
