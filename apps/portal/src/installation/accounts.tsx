import type { Account } from '@glacis/contract/installation'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { accounts, changeState } from '#installation/queries.ts'
import { Avatar } from '#ui/avatar.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmMutation } from '#ui/confirm-mutation.tsx'
import { TextField } from '#ui/field.tsx'
import { LoadMore } from '#ui/load-more.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SettingsList, SettingsRow, SettingsSection } from '#ui/settings-section.tsx'
import { SectionError } from '#ui/states.tsx'

/** @param identityUrl the external identity service that manages the accounts instead */
export function Accounts({ identityUrl }: { readonly identityUrl: string | undefined }) {
  return (
    <SettingsSection id="accounts" title="Accounts" description="All users of this installation, oldest first.">
      {identityUrl === undefined ? (
        <AccountList />
      ) : (
        <p className="text-ink-2">Users are managed by the identity service at {identityUrl}.</p>
      )}
    </SettingsSection>
  )
}

function AccountList() {
  const [text, setText] = useState('')
  const list = useInfiniteQuery(accounts(useDeferredValue(text.trim())))
  const enabling = useMutation(changeState)
  const [disabling, setDisabling] = useState<Account>()
  const shown = list.data?.pages.flatMap((page) => page.accounts) ?? []
  return (
    <>
      <div className="mb-3 max-w-[440px]">
        <TextField
          label="Search accounts"
          type="search"
          placeholder="Name or email address"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      {list.isError && !list.data && <SectionError what="Accounts" onRetry={() => void list.refetch()} />}
      {list.isSuccess && shown.length === 0 && <p className="text-ink-2">No accounts match.</p>}
      {shown.length > 0 && (
        <SettingsList label="Accounts">
          {shown.map((account) => (
            <Row
              key={account.id}
              account={account}
              isBusy={enabling.isPending && enabling.variables.id === account.id}
              onDisable={() => setDisabling(account)}
              onEnable={() => enabling.mutate({ id: account.id, state: 'STATE_ACTIVE' })}
            />
          ))}
        </SettingsList>
      )}
      <LoadMore query={list} what="accounts" className="mt-3" />
      <ConfirmMutation
        mutation={changeState}
        input={disabling && { id: disabling.id, state: 'STATE_DISABLED' }}
        onClose={() => setDisabling(undefined)}
        title={`Disable ${disabling?.name ?? 'account'}`}
        description="Their sessions end immediately. They can't sign in, and their API tokens are rejected, until you enable the account again."
        label="Disable account"
      />
    </>
  )
}

interface RowProps {
  readonly account: Account
  readonly isBusy: boolean
  readonly onDisable: () => void
  readonly onEnable: () => void
}

function Row({ account, isBusy, onDisable, onEnable }: RowProps) {
  const { name, isYou, isAdministrator, isVerified, state } = account
  const isDisabled = state === 'STATE_DISABLED'
  return (
    <SettingsRow
      icon={<Avatar name={name} />}
      name={isYou ? `${name} (you)` : name}
      detail={<Detail account={account} />}
    >
      {isAdministrator && <Badge variant="main">Administrator</Badge>}
      {!isVerified && <Badge variant="yellow">Not verified</Badge>}
      {isDisabled && <Badge variant="red">Disabled</Badge>}
      {!isYou && (
        <Button
          size="sm"
          aria-label={`${isDisabled ? 'Enable' : 'Disable'} ${name}`}
          loading={isBusy}
          onClick={isDisabled ? onEnable : onDisable}
        >
          {isDisabled ? 'Enable' : 'Disable'}
        </Button>
      )}
    </SettingsRow>
  )
}

function Detail({ account: { email, workspaces, lastSignInTime } }: { readonly account: Account }) {
  return (
    <>
      <span className="wrap-anywhere">{email}</span>
      {workspaces.length > 0 && ` · ${new Intl.ListFormat('en').format(workspaces)}`}
      {lastSignInTime && (
        <>
          {' '}
          · signed in <RelativeTime value={lastSignInTime} />
        </>
      )}
    </>
  )
}
