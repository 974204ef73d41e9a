/** Destructive actions on a channel, each with a confirmation: replacing its signing secret and removing it. */
import type { Channel } from '@glacis/contract/channel'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { mutationDialogProps } from '#api/advice.ts'
import { remove, rotate } from '#channels/queries.ts'
import type { NewSecret } from '#ui/secret-dialog.tsx'
import { channelKinds } from '#channels/labels.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { ConfirmMutation } from '#ui/confirm-mutation.tsx'

interface ChannelActionsProps {
  readonly channel: Channel
  readonly onSecret: (shown: NewSecret) => void
  readonly onGone: () => void
}

export function ChannelActions({ channel, onSecret, onGone }: ChannelActionsProps) {
  const [dialog, setAsked] = useState<'secret' | 'removal'>()
  const close = () => setAsked(undefined)
  return (
    <span className="ml-auto flex flex-wrap gap-2">
      {channel.kind === 'KIND_WEBHOOK' && (
        <Button size="sm" variant="ghost" call="rotateChannelSecret" onClick={() => setAsked('secret')}>
          Replace signing secret
        </Button>
      )}
      <Button size="sm" variant="ghost" call="deleteChannel" onClick={() => setAsked('removal')}>
        Remove
      </Button>
      <ConfirmMutation
        mutation={rotate}
        input={dialog === 'secret' ? channel.id : undefined}
        onClose={close}
        onDone={({ channel: { secret } }) => {
          close()
          if (secret) onSecret({ what: 'signing secret', value: secret })
        }}
        title="Replace signing secret"
        description="Messages are signed with the new secret immediately, so receivers that still check the old one reject them."
        label="Replace secret"
      />
      <RemoveDialog open={dialog === 'removal'} channel={channel} onGone={onGone} onClose={close} />
    </span>
  )
}

interface RemoveDialogProps extends Pick<ChannelActionsProps, 'channel' | 'onGone'> {
  readonly open: boolean
  readonly onClose: () => void
}

function RemoveDialog({ open, channel, onGone, onClose }: RemoveDialogProps) {
  const removing = useMutation({
    ...remove,
    // Called when the list no longer contains the channel.
    onSettled: (_, error) => error ?? onGone(),
  })
  const name = channelKinds.find(({ kind }) => kind === channel.kind)?.name ?? 'channel'
  return (
    <ConfirmDialog
      open={open}
      {...mutationDialogProps(removing, onClose)}
      title={`Remove ${name}`}
      description="Notifications stop, and its settings and delivery log are deleted. To pause it, turn it off instead."
      label="Remove channel"
      onConfirm={() => removing.mutate(channel.id)}
    />
  )
}
