/** `/workspace`: name, members, invitations, email domains, audit log, and deletion of the workspace. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { AuditLog } from '#workspaces/audit-log.tsx'
import { DangerZone } from '#workspaces/danger-zone.tsx'
import { EmailDomains } from '#workspaces/email-domains.tsx'
import { General } from '#workspaces/general.tsx'
import { Invitations } from '#workspaces/invitations.tsx'
import { useDenial } from '#lib/role.ts'
import { roleLabels } from '#lib/role-labels.ts'
import { Members } from '#workspaces/members.tsx'
import { Teams } from '#workspaces/teams.tsx'
import { SignInSection } from '#workspaces/sign-in.tsx'
import { ProvisioningSection } from '#workspaces/provisioning.tsx'
import { current, saveNetworks, useAllowed } from '#workspaces/queries.ts'
import { PageHead } from '#ui/page-head.tsx'
import { SettingsSection } from '#ui/settings-section.tsx'
import { SignInNetworks } from '#ui/sign-in-networks.tsx'

export function WorkspaceSettingsPage() {
  const { workspace } = useSuspenseQuery(current()).data
  const seesInvitations = useAllowed('listInvitations')
  const seesDomains = useAllowed('listEmailDomains')
  const seesProvider = useAllowed('getSignInProvider')
  const seesProvisioning = useAllowed('getProvisioning')
  const seesAuditLog = useAllowed('listAuditEvents')
  return (
    <div className="w-full max-w-[1152px] pb-14">
      <PageHead
        title="Workspace settings"
        description={`${workspace.name}. Your role: ${roleLabels[workspace.role]}.`}
      />
      <div className="@container px-(--gl-gutter) pt-5">
        <General key={workspace.id} workspace={workspace} />
        <Members own={workspace.role} />
        <Teams />
        {seesInvitations && <Invitations own={workspace.role} />}
        {seesDomains && <EmailDomains />}
        {seesProvider && <SignInSection />}
        <Networks key={`networks ${workspace.id}`} networks={workspace.signInNetworks} />
        {seesProvisioning && <ProvisioningSection />}
        {seesAuditLog && <AuditLog />}
        <DangerZone workspace={workspace} />
      </div>
    </div>
  )
}

/** The networks from which members can use the workspace. */
function Networks({ networks }: { readonly networks: readonly string[] }) {
  const denial = useDenial('setSignInNetworks')
  return (
    <SettingsSection
      id="networks"
      title="Sign-in networks"
      description="Networks from which members can use this workspace, such as your office and VPN."
    >
      <SignInNetworks networks={networks} call="setSignInNetworks" save={saveNetworks} denial={denial} />
    </SettingsSection>
  )
}
