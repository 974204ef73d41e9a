/** Onboarding, with live updates. */
import { AgentSetup } from '#agents/agent-setup.tsx'
import { AgentStep } from '#onboarding/agent-step.tsx'
import { NotificationsStep } from '#onboarding/notifications-step.tsx'
import { OnboardingPage } from '#onboarding/onboarding.tsx'
import { ScanStep } from '#onboarding/scan-step.tsx'
import { TargetStep } from '#onboarding/target-step.tsx'
import { FeedImports } from '#overview/feeds.tsx'
import { AddressField } from '#targets/address-field.tsx'
import { AddressListForm } from '#targets/address-list-form.tsx'
import { PasteListLink } from '#targets/list-links.tsx'
import { permissionError, PermissionField } from '#targets/permission-field.tsx'
import { TargetsForAgent } from '#targets/targets-for-agent.tsx'

export function OnboardingScreen() {
  return (
    <OnboardingPage
      target={(renderNavigation) => (
        <TargetStep
          renderNavigation={renderNavigation}
          address={({ onList, ...props }) => (
            <AddressField {...props} aside={<PasteListLink address={props.value} onPress={onList} />} />
          )}
          permissionError={permissionError}
          permission={(props) => <PermissionField {...props} />}
          list={({ period, ...props }) => <AddressListForm {...props} draft={{ period, agentId: '', tags: [] }} />}
        />
      )}
      agent={(renderNavigation) => (
        <AgentStep
          renderNavigation={renderNavigation}
          setup={<AgentSetup />}
          renderTargets={(agent) => <TargetsForAgent agent={agent} />}
        />
      )}
      scan={(renderNavigation) => <ScanStep renderNavigation={renderNavigation} />}
      notifications={(renderNavigation) => <NotificationsStep renderNavigation={renderNavigation} />}
      knowledge={<FeedImports />}
    />
  )
}
