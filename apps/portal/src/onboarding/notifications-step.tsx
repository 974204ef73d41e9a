/** Fourth step: notification channels. */
import { useQuery } from '@tanstack/react-query'
import { list } from '#channels/queries.ts'
import { outboxText } from '#lib/outbox.ts'
import type { StepNavigation } from '#onboarding/onboarding.tsx'
import { StepHead } from '#onboarding/step-head.tsx'
import { ButtonLink } from '#ui/button.tsx'
import { Note } from '#ui/note.tsx'

export function NotificationsStep({ renderNavigation }: { readonly renderNavigation: StepNavigation }) {
  const channels = useQuery(list()).data?.channels ?? []
  return (
    <>
      <StepHead of="NOTIFICATIONS" />
      {channels.length > 0 && (
        <Note variant="green">
          <p>
            <strong className="font-semibold">
              {channels.length === 1 ? 'One channel is' : `${channels.length} channels are`} set up.
            </strong>{' '}
            Send a test message to check that it works.
          </p>
        </Note>
      )}
      {outboxText() && <p className="text-ink-2">{outboxText()} Slack, Discord, and webhook notifications are sent.</p>}
      <div>
        <ButtonLink to="/integrations" variant={channels.length > 0 ? 'secondary' : 'primary'}>
          {channels.length > 0 ? 'Open integrations' : 'Add a channel'}
        </ButtonLink>
      </div>
      {renderNavigation({ isReady: channels.length > 0 })}
    </>
  )
}
