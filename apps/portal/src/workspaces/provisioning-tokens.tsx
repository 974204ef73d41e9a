/** The tokens that identity providers use for provisioning. */
import { type ProvisioningToken, provisioningTokenLife } from '@glacis/contract/provisioning'
import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { mutationDialogProps } from '#api/advice.ts'
import { useNow } from '#lib/clock.ts'
import { formatDate } from '#lib/format.ts'
import { createToken, revokeToken } from '#workspaces/provisioning-queries.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmMutation } from '#ui/confirm-mutation.tsx'
import { SelectField, TextField } from '#ui/field.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { type NewSecret, SecretDialog } from '#ui/secret-dialog.tsx'
import { SettingsList, SettingsRow } from '#ui/settings-section.tsx'

export function ProvisioningTokens({ tokens }: { readonly tokens: readonly ProvisioningToken[] }) {
  const [isCreating, setIsCreating] = useState(false)
  const [revoking, setRevoking] = useState<ProvisioningToken>()
  const [shown, setShown] = useState<NewSecret>()
  return (
    <>
      {tokens.length > 0 && (
        <div className="mb-3">
          <SettingsList label="Provisioning tokens">
            {tokens.map((token) => (
              <SettingsRow
                key={token.id}
                icon={<KeyRound aria-hidden="true" />}
                name={token.name}
                detail={<TokenDetail token={token} />}
              >
                <Button
                  size="sm"
                  call="deleteProvisioningToken"
                  aria-label={`Revoke ${token.name}`}
                  onClick={() => setRevoking(token)}
                >
                  Revoke
                </Button>
              </SettingsRow>
            ))}
          </SettingsList>
        </div>
      )}
      <Button call="createProvisioningToken" onClick={() => setIsCreating(true)}>
        Create provisioning token
      </Button>
      {isCreating && <CreateDialog onClose={() => setIsCreating(false)} onSecret={setShown} />}
      <ConfirmMutation
        mutation={revokeToken}
        input={revoking?.id}
        onClose={() => setRevoking(undefined)}
        title={`Revoke ${revoking?.name ?? 'token'}`}
        description="The identity provider can no longer add or remove members. Current members keep their access."
        label="Revoke token"
      />
      <SecretDialog shown={shown} onClose={() => setShown(undefined)} />
    </>
  )
}

function TokenDetail({ token }: { readonly token: ProvisioningToken }) {
  const hasExpired = Date.parse(token.expireTime) < useNow()
  return (
    <>
      <span className="font-mono">{token.prefix}…</span> · created by {token.createdBy} ·{' '}
      {hasExpired ? 'expired' : 'expires'} {formatDate(token.expireTime)} ·{' '}
      {token.lastUsedTime ? (
        <>
          last used <RelativeTime value={token.lastUsedTime} />
        </>
      ) : (
        'never used'
      )}
    </>
  )
}

const lifetimesDays = [90, provisioningTokenLife.default, provisioningTokenLife.most] as const
const dayMs = 86_400_000
/** The server's clock can be behind. */
const marginMs = 60_000

interface CreateDialogProps {
  readonly onClose: () => void
  readonly onSecret: (shown: NewSecret) => void
}

function CreateDialog({ onClose, onSecret }: CreateDialogProps) {
  const creation = useMutation(createToken)
  const [name, setName] = useState('')
  const [days, setDays] = useState<number>(provisioningTokenLife.default)
  const [isNameless, setIsNameless] = useState(false)
  const create = () => {
    setIsNameless(name.trim() === '')
    if (name.trim() === '') return
    const expireTime = new Date(Date.now() + days * dayMs - marginMs).toISOString()
    const onSuccess = ({ token }: { token: ProvisioningToken }) => {
      onClose()
      if (token.token) onSecret({ what: 'provisioning token', value: token.token })
    }
    creation.mutate({ name: name.trim(), expireTime }, { onSuccess })
  }
  return (
    <FormDialog
      {...mutationDialogProps(creation, onClose)}
      title="Create provisioning token"
      description="It can add and remove members, and stops working when you're no longer an owner or admin."
      label="Create token"
      call="createProvisioningToken"
      onSubmit={create}
    >
      <TextField
        label="Name"
        data-autofocus
        maxLength={128}
        value={name}
        state={isNameless ? 'error' : 'default'}
        messages={isNameless ? ['Required'] : []}
        hint="For example, the name of your identity provider"
        onChange={({ target }) => {
          setName(target.value)
          setIsNameless(false)
        }}
      />
      <SelectField label="Expires after" value={days} onChange={({ target }) => setDays(Number(target.value))}>
        {lifetimesDays.map((life) => (
          <option key={life} value={life}>
            {life} days
          </option>
        ))}
      </SelectField>
    </FormDialog>
  )
}
