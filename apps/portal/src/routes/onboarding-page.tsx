/** Onboarding, with live updates. */
import { AgentSetup } from '#agents/agent-setup.tsx'
import { AgentStep } from '#onboarding/agent-step.tsx'
import { NotificationsStep } from '#onboarding/notifications-step.tsx'
import { OnboardingPage } from '#onboarding/onboarding.tsx'
import { ScanStep } from '#onboarding/scan-step.tsx'
import { StepHead } from '#onboarding/step-head.tsx'
import { FeedImports } from '#overview/feeds.tsx'
import { FirstTargets } from '#targets/first-targets.tsx'
import { TargetsForAgent } from '#targets/targets-for-agent.tsx'

export function OnboardingScreen() {
  return (
    <OnboardingPage
      target={(renderNavigation) => (
        <>
          <StepHead of="TARGET" />
          <FirstTargets renderNavigation={renderNavigation} />
        </>
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
