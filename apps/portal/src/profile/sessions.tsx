import type { Session } from '@glacis/contract/identity'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Monitor, Smartphone, Tablet } from 'lucide-react'
import { revokeOtherSessions, revokeSession } from '#identity/client.ts'
import { otherSessionsQuery } from '#identity/session.ts'
import { addToast } from '#ui/toasts.tsx'
import { deviceOf } from '#profile/device.ts'
import { SettingsList, SettingsRow, SettingsSection } from '#ui/settings-section.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'

const icons = { desktop: <Monitor />, mobile: <Smartphone />, tablet: <Tablet /> }

/** The user's active sessions, this device first. */
export function Sessions({ current }: { readonly current: Session }) {
  const client = useQueryClient()
  const { data, isError, refetch } = useQuery(otherSessionsQuery())
  const others = (data ?? []).filter(({ id, active }) => id !== current.id && active)
  const after = (done: string) => ({
    onSuccess: () => addToast('success', { title: 'Success', message: done }),
    onSettled: () => client.invalidateQueries({ queryKey: otherSessionsQuery().queryKey }),
    onError: () =>
      addToast('error', {
        title: 'Oops, something went wrong',
        message: "The session couldn't be revoked. Try again.",
      }),
  })
  const revocation = useMutation({ mutationFn: revokeSession, ...after('The device was signed out.') })
  const all = useMutation({ mutationFn: revokeOtherSessions, ...after('All other devices were signed out.') })
  return (
    <SettingsSection id="sessions" title="Active sessions" description="Devices that are currently signed in.">
      <SettingsList label="Active sessions">
        <SessionRow session={current} isCurrent />
        {others.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            isPending={(revocation.isPending && revocation.variables === session.id) || all.isPending}
            onRevoke={() => revocation.mutate(session.id)}
          />
        ))}
      </SettingsList>
      {isError && (
        <p className="mt-2 text-ink-2">
          Your other sessions couldn't be loaded.{' '}
          <Button variant="link" size="sm" onClick={() => void refetch()}>
            Try again
          </Button>
        </p>
      )}
      {others.length > 0 && (
        <Button size="sm" className="mt-2" loading={all.isPending} onClick={() => all.mutate()}>
          Revoke all other sessions
        </Button>
      )}
    </SettingsSection>
  )
}

function SessionRow({
  session,
  isCurrent = false,
  isPending = false,
  onRevoke,
}: {
  readonly session: Session
  readonly isCurrent?: boolean
  readonly isPending?: boolean
  readonly onRevoke?: () => void
}) {
  const { host, system, browser, kind } = deviceOf(session)
  return (
    <SettingsRow
      icon={icons[kind]}
      name={
        <>
          {system}, {browser}{' '}
          {isCurrent && (
            <Badge variant="green" className="ml-1.5">
              This device
            </Badge>
          )}
        </>
      }
      detail={
        <>
          {host && <span className="font-mono">{host}</span>}
          {host && ', '}signed in <RelativeTime value={session.authenticated_at} />
        </>
      }
    >
      {onRevoke && (
        <Button size="sm" loading={isPending} onClick={onRevoke} aria-label={`Revoke ${system}, ${browser}`}>
          Revoke
        </Button>
      )}
    </SettingsRow>
  )
}
