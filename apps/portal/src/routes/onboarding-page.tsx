/** Setting up, with what is being learnt meanwhile. */
import { AgentStep } from '#onboarding/agent-step.tsx'
import { NotificationsStep } from '#onboarding/notifications-step.tsx'
import { OnboardingPage } from '#onboarding/onboarding.tsx'
import { ScanStep } from '#onboarding/scan-step.tsx'
import { TargetStep } from '#onboarding/target-step.tsx'
import { Learning } from '#overview/knowledge.tsx'
import { askPermission, PermissionField } from '#targets/permission-field.tsx'

export function OnboardingScreen() {
  return (
    <OnboardingPage
      target={<TargetStep askPermission={askPermission} permission={(props) => <PermissionField {...props} />} />}
      agent={<AgentStep />}
      scan={<ScanStep />}
      notifications={<NotificationsStep />}
      knowledge={<Learning />}
    />
  )
}
