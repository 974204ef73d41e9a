import type { Role } from '@glacis/contract/role'
import type { Member } from '@glacis/contract/workspace'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { errorAdvice } from '#api/advice.ts'
import { roleLabels } from '#lib/role-labels.ts'
import { changeRole, members, removeMutation, transferMutation, useAllowed } from '#workspaces/queries.ts'
import { RoleSelect } from '#ui/role-select.tsx'
import { SettingsList, SettingsRow, SettingsSection } from '#ui/settings-section.tsx'
import { Avatar } from '#ui/avatar.tsx'
import { Button } from '#ui/button.tsx'
import { ConfirmMutation } from '#ui/confirm-mutation.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SectionError } from '#ui/states.tsx'

/** @param own the role of the signed-in user */
export function Members({ own }: { readonly own: Role }) {
  const { data, isError, refetch } = useQuery(members())
  const canChange = useAllowed('updateMember')
  const [changing, setChanging] = useState<Member>()
  const [removing, setRemoving] = useState<Member>()
  const canManage = (member: Member) => canChange && !member.isYou && (own === 'owner' || member.role !== 'owner')
  return (
    <SettingsSection id="members" title="Members" description="People with access to this workspace, and their roles.">
      {isError && !data && <SectionError what="The members" onRetry={() => void refetch()} />}
      {data && (
        <SettingsList label="Members">
          {data.members.map((member) => (
            <SettingsRow
              key={member.id}
              icon={<Avatar name={member.name} />}
              name={member.isYou ? `${member.name} (you)` : member.name}
              detail={<MemberDetail member={member} />}
            >
              {canManage(member) && (
                <>
                  <Button
                    size="sm"
                    call="updateMember"
                    aria-label={`Change role of ${member.name}`}
                    onClick={() => setChanging(member)}
                  >
                    Change role
                  </Button>
                  <Button
                    size="sm"
                    call="removeMember"
                    aria-label={`Remove ${member.name}`}
                    onClick={() => setRemoving(member)}
                  >
                    Remove
                  </Button>
                </>
              )}
            </SettingsRow>
          ))}
        </SettingsList>
      )}
      {changing && <RoleDialog member={changing} own={own} onClose={() => setChanging(undefined)} />}
      <ConfirmMutation
        mutation={removeMutation}
        input={removing?.id}
        onClose={() => setRemoving(undefined)}
        title={`Remove ${removing?.name ?? 'member'}`}
        description="They lose access immediately, and their API tokens and agents stop working. Risks assigned to them stay assigned until you change them."
        label="Remove member"
      />
    </SettingsSection>
  )
}

function MemberDetail({ member }: { readonly member: Member }) {
  return (
    <>
      {roleLabels[member.role]} · <span className="wrap-anywhere">{member.email}</span>
      {member.lastActiveTime && (
        <>
          {' '}
          · active <RelativeTime value={member.lastActiveTime} />
        </>
      )}
    </>
  )
}

interface RoleDialogProps {
  readonly member: Member
  readonly own: Role
  readonly onClose: () => void
}

function RoleDialog({ member, own, onClose }: RoleDialogProps) {
  const change = useMutation(changeRole)
  const transfer = useMutation(transferMutation)
  const [role, setRole] = useState(member.role)
  return (
    <FormDialog
      onClose={onClose}
      busy={change.isPending || transfer.isPending}
      problem={errorAdvice(change.error ?? transfer.error)}
      title={`Change the role of ${member.name}`}
      description="Takes effect on their next request."
      label="Change role"
      onSubmit={() => change.mutate({ id: member.id, role }, { onSuccess: onClose })}
    >
      <RoleSelect value={role} options={assignable(own)} onChoose={setRole} />
      {own === 'owner' && member.role !== 'owner' && (
        <p className="text-ink-2">
          To step down in favor of {member.name}, transfer ownership: they become an owner and you become an admin.{' '}
          <Button
            variant="link"
            call="transferOwnership"
            loading={transfer.isPending}
            onClick={() => transfer.mutate(member.id, { onSuccess: onClose })}
          >
            Transfer ownership
          </Button>
        </p>
      )}
    </FormDialog>
  )
}

/** Only owners can make someone an owner. */
export function assignable(own: Role): readonly Role[] {
  const others = ['admin', 'analyst', 'viewer', 'auditor'] as const
  return own === 'owner' ? ['owner', ...others] : others
}
