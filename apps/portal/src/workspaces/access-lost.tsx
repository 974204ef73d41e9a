/** Replaces the app when the user has no access to a workspace, because they were removed or have not joined any. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorAdvice, fieldProblem, sentence } from '#api/advice.ts'
import type { ApiFailure } from '#api/failure.ts'
import { roleLabels } from '#lib/role-labels.ts'
import { accept, createMutation, joinMutation, mine, switchTo } from '#workspaces/queries.ts'
import { Button, ButtonAnchor } from '#ui/button.tsx'
import { TextField } from '#ui/field.tsx'
import { useDocumentTitle } from '#ui/page-head.tsx'
import { SettingsList, SettingsRow } from '#ui/settings-section.tsx'

export function AccessLostPage({ failure }: { readonly failure: ApiFailure }) {
  useDocumentTitle('No access')
  const client = useQueryClient()
  const { data } = useQuery(mine())
  const joining = useMutation(joinMutation)
  const accepting = useMutation(accept)
  const isNew = failure.reason === 'NO_WORKSPACE'
  const signInUrl = providerUrl(failure)
  const isElsewhere = failure.reason === 'NETWORK_NOT_ALLOWED'
  return (
    <main className="mx-auto grid w-full max-w-[560px] gap-5 px-(--gl-gutter) py-16">
      <h1 className="text-24 font-semibold">
        {isNew
          ? 'Choose a workspace'
          : signInUrl
            ? 'Sign in again'
            : isElsewhere
              ? 'Network not allowed'
              : 'You no longer have access'}
      </h1>
      <p className="text-ink-2">
        {isNew
          ? "You aren't a member of any workspace yet. Accept an invitation, or create your own workspace."
          : sentence(failure.serverMessage) ||
            "You aren't a member of this workspace. Ask an owner or admin to invite you."}
      </p>
      {signInUrl && (
        <div>
          <ButtonAnchor variant="primary" href={signInUrl}>
            Sign in with {String(failure.metadata['label'])}
          </ButtonAnchor>
        </div>
      )}
      {data && data.workspaces.length + data.invitations.length + data.joinable.length > 0 && (
        <section className="grid gap-2">
          <h2 className="font-semibold">
            {data.workspaces.length > 0 ? 'Your workspaces' : 'Workspaces you can join'}
          </h2>
          <SettingsList label="Workspaces">
            {data.workspaces.map(({ id, name, role }) => (
              <SettingsRow key={id} name={name} detail={roleLabels[role]}>
                <Button size="sm" aria-label={`Open ${name}`} onClick={() => switchTo(client, id)}>
                  Open
                </Button>
              </SettingsRow>
            ))}
            {data.invitations.map(({ id, workspaceName, role, invitedBy }) => (
              <SettingsRow key={id} name={workspaceName} detail={`${roleLabels[role]}, invited by ${invitedBy}`}>
                <Button
                  size="sm"
                  variant="primary"
                  aria-label={`Join ${workspaceName}`}
                  loading={accepting.isPending}
                  onClick={() =>
                    accepting.mutate({ id }, { onSuccess: ({ workspaceId }) => switchTo(client, workspaceId) })
                  }
                >
                  Join
                </Button>
              </SettingsRow>
            ))}
            {data.joinable.map(({ id, name, role, domain }) => (
              <SettingsRow key={id} name={name} detail={`${roleLabels[role]}, open to ${domain}`}>
                <Button
                  size="sm"
                  aria-label={`Join ${name}`}
                  loading={joining.isPending}
                  onClick={() => joining.mutate(id, { onSuccess: () => switchTo(client, id) })}
                >
                  Join
                </Button>
              </SettingsRow>
            ))}
          </SettingsList>
        </section>
      )}
      {!isElsewhere && <CreateWorkspace />}
      <div>
        <ButtonAnchor href="/logout">Logout</ButtonAnchor>
      </div>
    </main>
  )
}

/** Starts the sign-in that the workspace requires, and returns to this page. */
function providerUrl({ reason, metadata: { signInUrl } }: ApiFailure): string | undefined {
  if (reason !== 'SIGN_IN_PROVIDER_REQUIRED' || typeof signInUrl !== 'string') return undefined
  const url = new URL(signInUrl)
  url.searchParams.set('return_to', location.href)
  return url.href
}

/** A form for creating a workspace. */
function CreateWorkspace() {
  const client = useQueryClient()
  const creating = useMutation(createMutation)
  const [name, setName] = useState('')
  const create = (event: FormEvent) => {
    event.preventDefault()
    creating.mutate(name, { onSuccess: ({ workspace }) => switchTo(client, workspace.id) })
  }
  const problem = fieldProblem(creating.error, 'name') ?? errorAdvice(creating.error)
  return (
    <form noValidate onSubmit={create} className="grid gap-3">
      <TextField
        label="New workspace name"
        value={name}
        state={problem ? 'error' : 'default'}
        messages={problem ? [problem] : []}
        onChange={({ target }) => setName(target.value)}
      />
      <div>
        <Button type="submit" loading={creating.isPending} disabled={name.trim() === ''}>
          Create workspace
        </Button>
      </div>
    </form>
  )
}
