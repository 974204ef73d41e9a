/** Setting up, with what is being learnt meanwhile. */
import { AgentSetup } from '#agents/agent-setup.tsx'
import { AgentStep } from '#onboarding/agent-step.tsx'
import { NotificationsStep } from '#onboarding/notifications-step.tsx'
import { OnboardingPage } from '#onboarding/onboarding.tsx'
import { ScanStep } from '#onboarding/scan-step.tsx'
import { TargetStep } from '#onboarding/target-step.tsx'
import { Learning } from '#overview/knowledge.tsx'
import { askPermission, PermissionField } from '#targets/permission-field.tsx'
import { TargetsForAgent } from '#targets/targets-for-agent.tsx'

export function OnboardingScreen() {
  return (
    <OnboardingPage
      target={(wayOn) => (
        <TargetStep
          wayOn={wayOn}
          askPermission={askPermission}
          permission={(props) => <PermissionField {...props} />}
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
