import { type ApiToken, TokenScope } from '@glacis/contract/access'
import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { errorAdvice, mutationDialogProps } from '#api/advice.ts'
import { ApiFailure } from '#api/failure.ts'
import { createToken, revokeToken, tokens } from '#channels/queries.ts'
import type { NewSecret } from '#channels/secret-dialog.tsx'
import { useNow } from '#lib/clock.ts'
import { formatDate } from '#lib/format.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { SelectField, TextField } from '#ui/field.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SectionError } from '#ui/states.tsx'

const scopeLabels: Readonly<Record<TokenScope, string>> = {
  SCOPE_READ: 'Read',
  SCOPE_SCAN: 'Read and start scans',
  SCOPE_WRITE: 'Read and write',
}
const lifetimesDays = [30, 90, 180, 365] as const
const dayMs = 86_400_000

/** API tokens with their scopes, expiry, and last use. */
export function ApiTokens({ onSecret }: { readonly onSecret: (shown: NewSecret) => void }) {
  const { data, isError, refetch } = useQuery(tokens())
  const [isMaking, setIsMaking] = useState(false)
  const [tokenToRevoke, setLeaving] = useState<ApiToken>()
  const list = data?.apiTokens ?? []
  return (
    <section aria-labelledby="api-tokens" className="py-7">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div>
          <h2 id="api-tokens" className="text-14/5 font-semibold">
            API tokens
          </h2>
          <p className="text-ink-2">
            Let your own programs call the Glacis API.{' '}
            <a href={portalConfig().apiDocsUrl} target="_blank" rel="noreferrer" className="inline-link">
              API Documentation
            </a>
          </p>
        </div>
        <Button size="sm" call="createApiToken" icon={<Plus aria-hidden="true" />} onClick={() => setIsMaking(true)}>
          Create token
        </Button>
      </div>
      {isError && !data && <SectionError what="The tokens" onRetry={() => void refetch()} />}
      {list.length > 0 && (
        <ul aria-label="API tokens" className="mt-3 divide-y divide-line rounded-lg border border-line">
          {list.map((token) => (
            <TokenRow key={token.id} token={token} onRevoke={() => setLeaving(token)} />
          ))}
        </ul>
      )}
      <CreateTokenDialog open={isMaking} onClose={() => setIsMaking(false)} onSecret={onSecret} />
      <RevokeTokenDialog token={tokenToRevoke} onClose={() => setLeaving(undefined)} />
    </section>
  )
}

function TokenRow({ token, onRevoke }: { readonly token: ApiToken; readonly onRevoke: () => void }) {
  const hasExpired = Date.parse(token.expireTime) < useNow()
  return (
    <li className="flex min-h-13.5 items-center gap-3 py-2 pr-3 pl-4 max-md:flex-wrap">
      <KeyRound aria-hidden="true" className="size-4 text-ink-2" />
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">{token.name}</p>
        <p className="text-12 text-ink-2">
          <span className="font-mono">{token.prefix}…</span> ·{' '}
          {token.scopes.map((scope) => scopeLabels[scope]).join(', ')} · {hasExpired ? 'expired' : 'expires'}{' '}
          {formatDate(token.expireTime)} ·{' '}
          {token.lastUsedTime ? (
            <>
              last used <RelativeTime value={token.lastUsedTime} />
            </>
          ) : (
            'never used'
          )}
        </p>
        <p className="text-12 text-ink-2 wrap-anywhere">
          Created by {token.createdBy} · role {token.role}
          {token.allowedNetworks.length > 0 && ` · only from ${token.allowedNetworks.join(', ')}`}
        </p>
      </div>
      <Button size="sm" call="deleteApiToken" aria-label={`Revoke ${token.name}`} onClick={onRevoke}>
        Revoke
      </Button>
    </li>
  )
}

interface CreateTokenDialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly onSecret: (shown: NewSecret) => void
}

function CreateTokenDialog({ open, onClose, onSecret }: CreateTokenDialogProps) {
  const creation = useMutation(createToken)
  const [name, setName] = useState('')
  const [scope, setScope] = useState<TokenScope>('SCOPE_READ')
  const [days, setDays] = useState<number>(90)
  const [isNameless, setIsNameless] = useState(false)
  const close = () => {
    setName('')
    setIsNameless(false)
    creation.reset()
    onClose()
  }
  const make = (event: FormEvent) => {
    event.preventDefault()
    setIsNameless(name.trim() === '')
    if (name.trim() === '') return
    const expireTime = new Date(Date.now() + days * dayMs - 60_000).toISOString()
    const onSuccess = ({ apiToken }: { apiToken: ApiToken }) => {
      close()
      if (apiToken.token) onSecret({ what: 'API token', value: apiToken.token })
    }
    creation.mutate({ name, scopes: [scope], expireTime }, { onSuccess })
  }
  const serverError = creation.error instanceof ApiFailure ? creation.error.fieldErrors.get('apiToken.name') : undefined
  const nameError = isNameless ? 'Required' : serverError
  return (
    <Dialog
      open={open}
      onClose={close}
      busy={creation.isPending}
      problem={errorAdvice(creation.error)}
      title="Create API token"
      footer={
        <>
          <Button onClick={close} disabled={creation.isPending}>
            Cancel
          </Button>
          <Button type="submit" form="make-token" variant="primary" loading={creation.isPending}>
            Create token
          </Button>
        </>
      }
    >
      <form id="make-token" noValidate onSubmit={make} className="grid gap-4">
        <TextField
          label="Name"
          data-autofocus
          maxLength={128}
          value={name}
          state={nameError ? 'error' : 'default'}
          messages={nameError ? [nameError] : []}
          hint="What uses the token, such as the name of a pipeline"
          onChange={(event) => {
            setName(event.target.value)
            setIsNameless(false)
          }}
        />
        <SelectField
          label="Permissions"
          value={scope}
          onChange={(event) => setScope(TokenScope.parse(event.target.value))}
        >
          {TokenScope.options.map((one) => (
            <option key={one} value={one}>
              {scopeLabels[one]}
            </option>
          ))}
        </SelectField>
        <SelectField label="Expires after" value={days} onChange={(event) => setDays(Number(event.target.value))}>
          {lifetimesDays.map((life) => (
            <option key={life} value={life}>
              {life} days
            </option>
          ))}
        </SelectField>
      </form>
    </Dialog>
  )
}

function RevokeTokenDialog({ token, onClose }: { readonly token: ApiToken | undefined; readonly onClose: () => void }) {
  const revoking = useMutation(revokeToken)
  return (
    <ConfirmDialog
      open={token !== undefined}
      {...mutationDialogProps(revoking, onClose)}
      title={`Revoke ${token?.name ?? 'token'}`}
      description="Programs that use this token lose access immediately. This can't be undone."
      label="Revoke"
      onConfirm={() => token && revoking.mutate(token.id, { onSuccess: onClose })}
    />
  )
}
