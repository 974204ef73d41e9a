/** What ends something of a channel for good: a new signing secret in place of the old one, and its removal. Both ask first. */
import type { Channel } from '@glacis/contract/channel'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asking } from '#api/advice.ts'
import { remove, rotate } from '#channels/queries.ts'
import type { Shown } from '#channels/secret-dialog.tsx'
import { kinds } from '#channels/words.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'

interface ChannelEndsProps {
  readonly channel: Channel
  readonly onSecret: (shown: Shown) => void
  readonly onGone: () => void
}

export function ChannelEnds({ channel, onSecret, onGone }: ChannelEndsProps) {
  const [asked, setAsked] = useState<'secret' | 'removal'>()
  const close = () => setAsked(undefined)
  return (
    <span className="ml-auto flex flex-wrap gap-2">
      {channel.kind === 'KIND_WEBHOOK' && (
        <Button size="sm" variant="ghost" onClick={() => setAsked('secret')}>
          New signing secret
        </Button>
      )}
      <Button size="sm" variant="ghost" onClick={() => setAsked('removal')}>
        Remove
      </Button>
      <NewSecret open={asked === 'secret'} channel={channel} onSecret={onSecret} onClose={close} />
      <Removal open={asked === 'removal'} channel={channel} onGone={onGone} onClose={close} />
    </span>
  )
}

interface AskProps {
  readonly open: boolean
  readonly channel: Channel
  readonly onClose: () => void
}

function NewSecret({ open, channel, onSecret, onClose }: AskProps & Pick<ChannelEndsProps, 'onSecret'>) {
  const rotating = useMutation(rotate(useQueryClient()))
  const confirm = () =>
    rotating.mutate(channel.id, {
      onSuccess: ({ channel: { secret } }) => {
        onClose()
        if (secret) onSecret({ what: 'signing secret', value: secret })
      },
    })
  return (
    <ConfirmDialog
      open={open}
      {...asking(rotating, onClose)}
      title="New signing secret"
      description="From now on messages are signed with it, and a receiver that still checks the old one refuses them. It is shown once."
      label="Replace secret"
      onConfirm={confirm}
    />
  )
}

function Removal({ open, channel, onGone, onClose }: AskProps & Pick<ChannelEndsProps, 'onGone'>) {
  const removing = useMutation(remove(useQueryClient(), onGone))
  const name = kinds.find(({ kind }) => kind === channel.kind)?.name ?? 'channel'
  return (
    <ConfirmDialog
      open={open}
      {...asking(removing, onClose)}
      title={`Remove ${name}`}
      description="Nothing more is sent through it, and its rule and its log of deliveries go. To pause it, turn it off instead."
      label="Remove channel"
      onConfirm={() => removing.mutate(channel.id)}
    />
  )
}
