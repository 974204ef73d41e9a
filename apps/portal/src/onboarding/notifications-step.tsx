/** The fourth step: who is told, and how. */
import { useQuery } from '@tanstack/react-query'
import { list } from '#channels/queries.ts'
import type { WayOn } from '#onboarding/onboarding.tsx'
import { StepHead } from '#onboarding/step-head.tsx'
import { ButtonLink } from '#ui/button.tsx'
import { Note } from '#ui/note.tsx'

export function NotificationsStep({ wayOn }: { readonly wayOn: WayOn }) {
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
            A test message shows whether it arrives.
          </p>
        </Note>
      )}
      <div>
        <ButtonLink to="/integrations" variant={channels.length > 0 ? 'secondary' : 'primary'}>
          {channels.length > 0 ? 'Open integrations' : 'Add a channel'}
        </ButtonLink>
      </div>
      {wayOn({ isReady: channels.length > 0 })}
    </>
  )
}
