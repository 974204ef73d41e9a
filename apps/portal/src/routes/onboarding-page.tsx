/** Setting up, with what is being learnt meanwhile. */
import { AgentSetup } from '#agents/agent-setup.tsx'
import { AgentStep } from '#onboarding/agent-step.tsx'
import { NotificationsStep } from '#onboarding/notifications-step.tsx'
import { OnboardingPage } from '#onboarding/onboarding.tsx'
import { ScanStep } from '#onboarding/scan-step.tsx'
import { TargetStep } from '#onboarding/target-step.tsx'
import { Learning } from '#overview/knowledge.tsx'
import { AddressField } from '#targets/address-field.tsx'
import { ManyForm } from '#targets/many-form.tsx'
import { PasteList } from '#targets/paste-list.tsx'
import { askPermission, PermissionField } from '#targets/permission-field.tsx'
import { TargetsForAgent } from '#targets/targets-for-agent.tsx'

export function OnboardingScreen() {
  return (
    <OnboardingPage
      target={(wayOn) => (
        <TargetStep
          wayOn={wayOn}
          address={({ onList, ...props }) => (
            <AddressField {...props} aside={<PasteList address={props.value} onPress={onList} />} />
          )}
          askPermission={askPermission}
          permission={(props) => <PermissionField {...props} />}
          list={({ period, ...props }) => <ManyForm {...props} draft={{ period, agentId: '', tags: [] }} />}
        />
      )}
      agent={(wayOn) => (
        <AgentStep wayOn={wayOn} setup={<AgentSetup />} targetsOf={(agent) => <TargetsForAgent agent={agent} />} />
      )}
      scan={(wayOn) => <ScanStep wayOn={wayOn} />}
      notifications={(wayOn) => <NotificationsStep wayOn={wayOn} />}
      knowledge={<Learning />}
    />
  )
}
