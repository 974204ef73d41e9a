import type { ApiToken } from '@glacis/contract/access'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { CreateTokenDialog } from '#channels/create-token.tsx'
import { scopeLabels } from '#channels/labels.ts'
import { revokeToken, tokens } from '#channels/queries.ts'
import type { NewSecret } from '#ui/secret-dialog.tsx'
import { useNow } from '#lib/clock.ts'
import { fullName, useSession } from '#identity/session.ts'
import { formatDate } from '#lib/format.ts'
import { useRole } from '#lib/role.ts'
import { roleLabels } from '#lib/role-labels.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmMutation } from '#ui/confirm-mutation.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SectionError } from '#ui/states.tsx'

/** API tokens with their scopes, expiry, and last use. */
export function ApiTokens({ onSecret }: { readonly onSecret: (shown: NewSecret) => void }) {
  const { data, isError, refetch } = useQuery(tokens())
  const [isCreating, setIsCreating] = useState(false)
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
            Let your programs call the Glacis API.{' '}
            <a href={portalConfig().apiDocsUrl} target="_blank" rel="noreferrer" className="inline-link">
              API documentation
            </a>
          </p>
        </div>
        <Button size="sm" call="createApiToken" icon={<Plus aria-hidden="true" />} onClick={() => setIsCreating(true)}>
          Create token
        </Button>
      </div>
      {isError && !data && <SectionError what="Tokens" onRetry={() => void refetch()} />}
      {list.length > 0 && (
        <ul aria-label="API tokens" className="mt-3 divide-y divide-line rounded-lg border border-line">
          {list.map((token) => (
            <TokenRow key={token.id} token={token} onRevoke={() => setLeaving(token)} />
          ))}
        </ul>
      )}
      {isCreating && <CreateTokenDialog onClose={() => setIsCreating(false)} onSecret={onSecret} />}
      <ConfirmMutation
        mutation={revokeToken}
        input={tokenToRevoke?.id}
        onClose={() => setLeaving(undefined)}
        title={`Revoke ${tokenToRevoke?.name ?? 'token'}`}
        description="Programs that use this token lose access immediately. This can't be undone."
        label="Revoke"
      />
    </section>
  )
}

function TokenRow({ token, onRevoke }: { readonly token: ApiToken; readonly onRevoke: () => void }) {
  const role = useRole()
  const session = useSession()
  // Tokens name their creator without an ID. The server also lets analysts revoke only their own.
  const isForAdmins = role === 'analyst' && session !== null && token.createdBy !== fullName(session)
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
          Created by {token.createdBy} · {roleLabels[token.role]}
          {token.allowedNetworks.length > 0 && ` · only from ${token.allowedNetworks.join(', ')}`}
        </p>
      </div>
      {!isForAdmins && (
        <Button size="sm" call="deleteApiToken" aria-label={`Revoke ${token.name}`} onClick={onRevoke}>
          Revoke
        </Button>
      )}
    </li>
  )
}
