import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { ChannelRow } from '#channels/channel-row.tsx'
import { channelKinds } from '#channels/labels.ts'

it('moves focus to the first field when the form opens and back to the button when it closes', async () => {
  const user = userEvent.setup()
  const kind = channelKinds.find((channelKind) => channelKind.kind === 'KIND_SLACK')
  if (!kind) throw new Error('unknown channel kind')
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ul>
        <ChannelRow kind={kind} channel={undefined} email="nora@aarewerk.example" onSecret={() => {}} />
      </ul>
    </QueryClientProvider>,
  )
  expect(document.activeElement).toBe(document.body)
  screen.getByRole('button', { name: 'Connect Slack' }).focus()
  await user.keyboard('{Enter}')
  expect(document.activeElement).toBe(screen.getByLabelText('Webhook URL'))
  screen.getByRole('button', { name: 'Cancel' }).focus()
  await user.keyboard('{Enter}')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Connect Slack' }))
})
