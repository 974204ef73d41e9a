import type { Invitation } from '@glacis/contract/invitation'
import type { Role } from '@glacis/contract/role'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Mail, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { fieldProblem, mutationDialogProps } from '#api/advice.ts'
import { formatDate, formatNumber } from '#lib/format.ts'
import { outboxText } from '#lib/outbox.ts'
import { roleLabels } from '#lib/role-labels.ts'
import { assignable } from '#workspaces/members.tsx'
import { invitations, invite, resend, revoke, useAllowed } from '#workspaces/queries.ts'
import { RoleSelect } from '#ui/role-select.tsx'
import { SettingsList, SettingsRow, SettingsSection } from '#ui/settings-section.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmMutation } from '#ui/confirm-mutation.tsx'
import { TextField } from '#ui/field.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { SectionError } from '#ui/states.tsx'
import { addToast } from '#ui/toasts.tsx'

const rowsPerPage = 20

/** @param own the role of the signed-in user */
export function Invitations({ own }: { readonly own: Role }) {
  const { data, isError, refetch } = useQuery(invitations())
  const canInvite = useAllowed('createInvitation')
  const resending = useMutation(resend)
  const [isInviting, setIsInviting] = useState(false)
  const [revoking, setRevoking] = useState<Invitation>()
  const sendAgain = ({ id, email }: Invitation) =>
    resending.mutate(id, {
      onSuccess: () => showInvited(email),
    })
  return (
    <SettingsSection
      id="invitations"
      title="Invitations"
      description="An invitation is valid for 7 days and can be used once, by the invited address only."
    >
      {isError && !data && <SectionError what="The invitations" onRetry={() => void refetch()} />}
      {data?.invitations.length === 0 && <p className="mb-3 text-ink-2">No pending invitations.</p>}
      {data && data.invitations.length > 0 && (
        <PendingInvitations items={data.invitations} onResend={sendAgain} onRevoke={setRevoking} />
      )}
      {canInvite && (
        <Button icon={<UserPlus aria-hidden="true" />} onClick={() => setIsInviting(true)}>
          Invite someone
        </Button>
      )}
      {isInviting && <InviteDialog own={own} onClose={() => setIsInviting(false)} />}
      <ConfirmMutation
        mutation={revoke}
        input={revoking?.id}
        onClose={() => setRevoking(undefined)}
        title={`Revoke invitation for ${revoking?.email ?? ''}`}
        description="The link in the email stops working immediately. You can invite this address again."
        label="Revoke invitation"
      />
    </SettingsSection>
  )
}

interface PendingInvitationsProps {
  readonly items: readonly Invitation[]
  readonly onResend: (invitation: Invitation) => void
  readonly onRevoke: (invitation: Invitation) => void
}

function PendingInvitations({ items, onResend, onRevoke }: PendingInvitationsProps) {
  const canInvite = useAllowed('createInvitation')
  const [rows, setRows] = useState(rowsPerPage)
  return (
    <div className="mb-3">
      <SettingsList label="Pending invitations">
        {items.slice(0, rows).map((item) => (
          <SettingsRow key={item.id} icon={<Mail aria-hidden="true" />} name={item.email} detail={detailOf(item)}>
            {canInvite && (
              <>
                <Button
                  size="sm"
                  call="resendInvitation"
                  aria-label={`Resend to ${item.email}`}
                  onClick={() => onResend(item)}
                >
                  Resend
                </Button>
                <Button
                  size="sm"
                  call="revokeInvitation"
                  aria-label={`Revoke ${item.email}`}
                  onClick={() => onRevoke(item)}
                >
                  Revoke
                </Button>
              </>
            )}
          </SettingsRow>
        ))}
      </SettingsList>
      {items.length > rows && (
        <Button size="sm" className="mt-3" onClick={() => setRows(rows + rowsPerPage)}>
          Show more ({formatNumber(items.length - rows)} remaining)
        </Button>
      )}
    </div>
  )
}

function detailOf({ role, invitedBy, expireTime, isExpired }: Invitation): string {
  return `${roleLabels[role]} · invited by ${invitedBy} · ${isExpired ? 'expired' : 'expires'} ${formatDate(expireTime)}`
}

function showInvited(email: string): void {
  const outbox = outboxText()
  if (outbox)
    addToast('info', {
      title: 'Info',
      message: `The invitation for ${email} wasn't sent. ${outbox} Send its link yourself.`,
    })
  else addToast('success', { title: 'Success', message: `An invitation was sent to ${email}.` })
}

function InviteDialog({ own, onClose }: { readonly own: Role; readonly onClose: () => void }) {
  const inviting = useMutation(invite)
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('analyst')
  const send = () =>
    inviting.mutate(
      { email, role },
      {
        onSuccess: () => {
          showInvited(email)
          onClose()
        },
      },
    )
  const error = fieldProblem(inviting.error, 'email')
  return (
    <FormDialog
      {...mutationDialogProps(inviting, onClose)}
      title="Invite someone"
      description={`${outboxText() ?? 'They get an email with a link.'} Someone without an account can create one with this address.`}
      label="Send invitation"
      onSubmit={send}
    >
      <TextField
        label="Email"
        type="email"
        data-autofocus
        value={email}
        state={error ? 'error' : 'default'}
        messages={error ? [error] : []}
        onChange={({ target }) => setEmail(target.value)}
      />
      <RoleSelect value={role} options={assignable(own)} onChoose={setRole} />
    </FormDialog>
  )
}
