import { useDenial } from '#lib/role.ts'
import { saveNetworks } from '#workspaces/queries.ts'
import { SettingsSection } from '#ui/settings-section.tsx'
import { SignInNetworks } from '#ui/sign-in-networks.tsx'

/** The networks from which members can use the workspace. */
export function Networks({ networks }: { readonly networks: readonly string[] }) {
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
