/** The OpenID Connect provider of the workspace. */
import type { SignInProvider } from '@glacis/contract/sign-in-provider'
import { useMutation, useQuery } from '@tanstack/react-query'
import { KeySquare } from 'lucide-react'
import { useState } from 'react'
import { mutationDialogProps } from '#api/advice.ts'
import { removeProvider, signInProvider } from '#workspaces/sign-in-queries.ts'
import { ProviderForm } from '#workspaces/sign-in-form.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { CopyField } from '#ui/copy-field.tsx'
import { Note } from '#ui/note.tsx'
import { SettingsHeading, SettingsList, SettingsRow, SettingsSection } from '#ui/settings-section.tsx'
import { SectionError } from '#ui/states.tsx'

export function SignInSection() {
  const { data, isError, refetch } = useQuery(signInProvider())
  const [dialog, setDialog] = useState<'edit' | 'remove'>()
  const close = () => setDialog(undefined)
  return (
    <SettingsSection
      id="sign-in"
      title="Sign-in"
      description="Users with an address in a verified email domain sign in with your OpenID Connect provider."
    >
      {isError && !data && <SectionError what="The sign-in provider" onRetry={() => void refetch()} />}
      {data && (
        <>
          {data.domains.length === 0 && (
            <div className="mb-3">
              <Note variant="yellow">
                Verify an email domain first. Only users with an address in a verified domain can sign in with a
                provider.
              </Note>
            </div>
          )}
          {data.provider ? (
            <Configured
              provider={data.provider}
              onEdit={() => setDialog('edit')}
              onRemove={() => setDialog('remove')}
            />
          ) : (
            <Button call="setSignInProvider" onClick={() => setDialog('edit')}>
              Set up provider
            </Button>
          )}
          <SettingsHeading>Redirect URI to register with your provider</SettingsHeading>
          <CopyField label="Redirect URI" value={data.redirectUri} />
          {dialog === 'edit' && <ProviderForm provider={data.provider} onClose={close} />}
        </>
      )}
      <RemoveDialog open={dialog === 'remove'} onClose={close} />
    </SettingsSection>
  )
}

interface ConfiguredProps {
  readonly provider: SignInProvider
  readonly onEdit: () => void
  readonly onRemove: () => void
}

function Configured({ provider: { label, issuer, isRequired, signInUrl }, onEdit, onRemove }: ConfiguredProps) {
  return (
    <>
      <SettingsList label="Sign-in provider">
        <SettingsRow
          icon={<KeySquare aria-hidden="true" />}
          name={label}
          detail={<span className="wrap-anywhere">{issuer}</span>}
        >
          {isRequired && <Badge variant="main">Required</Badge>}
          <Button size="sm" call="setSignInProvider" aria-label={`Edit ${label}`} onClick={onEdit}>
            Edit
          </Button>
          <Button size="sm" call="deleteSignInProvider" aria-label={`Remove ${label}`} onClick={onRemove}>
            Remove
          </Button>
        </SettingsRow>
      </SettingsList>
      <SettingsHeading>Sign-in link</SettingsHeading>
      <CopyField label="Sign-in link" value={signInUrl} />
    </>
  )
}

function RemoveDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const removing = useMutation(removeProvider)
  return (
    <ConfirmDialog
      open={open}
      {...mutationDialogProps(removing, onClose)}
      title="Remove sign-in provider"
      description="Members keep their access. They can sign in another way, for example with a password set through account recovery."
      label="Remove provider"
      onConfirm={() => removing.mutate(undefined, { onSuccess: onClose })}
    />
  )
}
