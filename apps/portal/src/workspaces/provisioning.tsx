/** Provisioning of members by an identity provider (SCIM 2.0). */
import type { PendingMember, Provisioning } from '@glacis/contract/provisioning'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Clock } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { errorAdvice } from '#api/advice.ts'
import { formatNumber } from '#lib/format.ts'
import { useDenial } from '#lib/role.ts'
import { roleLabels } from '#lib/role-labels.ts'
import { GroupRolesField, groupRoleNames, groupsProblem, namedGroups } from '#workspaces/group-roles.tsx'
import { provisioning, saveProvisioning } from '#workspaces/provisioning-queries.ts'
import { ProvisioningTokens } from '#workspaces/provisioning-tokens.tsx'
import { Button } from '#ui/button.tsx'
import { CopyField } from '#ui/copy-field.tsx'
import { Note } from '#ui/note.tsx'
import { RoleSelect } from '#ui/role-select.tsx'
import { SettingsHeading, SettingsList, SettingsRow, SettingsSection } from '#ui/settings-section.tsx'
import { SectionError } from '#ui/states.tsx'
import { addToast } from '#ui/toasts.tsx'

export function ProvisioningSection() {
  const { data, isError, refetch } = useQuery(provisioning())
  return (
    <SettingsSection
      id="provisioning"
      title="Provisioning"
      description="Your identity provider adds, updates, and removes members through SCIM 2.0. Only users with an address in a verified email domain become members."
    >
      {isError && !data && <SectionError what="Provisioning" onRetry={() => void refetch()} />}
      {data && <Content settings={data.provisioning} />}
    </SettingsSection>
  )
}

function Content({ settings }: { readonly settings: Provisioning }) {
  const { url, tokens, pendingMembers, userCount } = settings
  const hasUsers = userCount.active + userCount.inactive > 0
  return (
    <>
      <SettingsHeading>Base URL</SettingsHeading>
      <CopyField label="Base URL" value={url} />
      {hasUsers && (
        <p className="mt-2 text-12 text-ink-3">
          {formatNumber(userCount.active)} active and {formatNumber(userCount.inactive)} deactivated users provisioned
        </p>
      )}
      <SettingsHeading>Tokens</SettingsHeading>
      <ProvisioningTokens tokens={tokens} />
      <SettingsHeading>Roles</SettingsHeading>
      <RolesForm settings={settings} />
      {pendingMembers.length > 0 && <PendingMembers pending={pendingMembers} />}
    </>
  )
}

function RolesForm({ settings }: { readonly settings: Provisioning }) {
  const saving = useMutation(saveProvisioning)
  const denial = useDenial('updateProvisioning')
  const [defaultRole, setDefaultRole] = useState(settings.defaultRole)
  const [groupRoles, setGroupRoles] = useState<typeof settings.groupRoles>(settings.groupRoles)
  const [replaces, setReplaces] = useState({ defaultRole, groupRoles })
  const [hasTried, setHasTried] = useState(false)
  const problem = groupsProblem(groupRoles)
  const save = (event: FormEvent) => {
    event.preventDefault()
    setHasTried(true)
    if (problem) return
    saving.mutate(
      { provisioning: { defaultRole, groupRoles: namedGroups(groupRoles) }, replaces },
      {
        onSuccess({ provisioning: saved }) {
          setReplaces({ defaultRole: saved.defaultRole, groupRoles: saved.groupRoles })
          addToast('success', { title: 'Success', message: 'The roles of provisioned members were saved.' })
        },
      },
    )
  }
  const advice = errorAdvice(saving.error)
  return (
    <form noValidate onSubmit={save} className="grid max-w-[440px] gap-4">
      <RoleSelect
        label="Default role"
        value={defaultRole}
        options={groupRoleNames}
        disabled={denial !== undefined}
        onChoose={setDefaultRole}
      />
      <GroupRolesField
        value={groupRoles}
        groups={settings.groups.map(({ name }) => name)}
        problem={hasTried ? problem : undefined}
        disabled={denial !== undefined}
        onChange={(value) => setGroupRoles([...value])}
      />
      {advice && <Note variant="red">{advice}</Note>}
      <div>
        <Button type="submit" call="updateProvisioning" loading={saving.isPending}>
          Save roles
        </Button>
      </div>
    </form>
  )
}

const shownMax = 10

function PendingMembers({ pending }: { readonly pending: readonly PendingMember[] }) {
  const more = pending.length - shownMax
  return (
    <>
      <SettingsHeading>Waiting for their first sign-in</SettingsHeading>
      <SettingsList label="Pending members">
        {pending.slice(0, shownMax).map(({ id, name, email, role }) => (
          <SettingsRow
            key={id}
            icon={<Clock aria-hidden="true" />}
            name={name}
            detail={
              <>
                {roleLabels[role]} · <span className="wrap-anywhere">{email}</span>
              </>
            }
          />
        ))}
      </SettingsList>
      {more > 0 && <p className="mt-2 text-12 text-ink-3">and {formatNumber(more)} more</p>}
    </>
  )
}
