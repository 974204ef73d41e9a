import type { Channel } from '@glacis/contract/channel'
import { useMutation } from '@tanstack/react-query'
import { Check, Hash, Mail, MessagesSquare, Webhook } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ChannelForm } from '#channels/channel-form.tsx'
import { DeliveryLog } from '#channels/delivery-log.tsx'
import { change, create, sendTest } from '#channels/queries.ts'
import type { NewSecret } from '#ui/secret-dialog.tsx'
import { type channelKinds, maskUrl, formatRule, deliveryProblem } from '#channels/labels.ts'
import { outboxText } from '#lib/outbox.ts'
import { isFocusLost } from '#lib/focus.ts'
import { addToast } from '#ui/toasts.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'

const icons = {
  KIND_EMAIL: <Mail />,
  KIND_SLACK: <Hash />,
  KIND_WEBHOOK: <Webhook />,
  KIND_DISCORD: <MessagesSquare />,
} as const

interface ChannelRowProps {
  readonly kind: (typeof channelKinds)[number]
  /** Undefined if no channel of this kind exists. */
  readonly channel: Channel | undefined
  /** Email address of the workspace. */
  readonly email: string
  readonly onSecret: (shown: NewSecret) => void
}

/** One channel with its status and settings, edited inline. */
export function ChannelRow({ kind, channel, email, onSecret }: ChannelRowProps) {
  const [isOpen, setIsOpen] = useState(false)
  const row = useRestoreFocus(isOpen, channel !== undefined)
  const isOn = channel?.isEnabled ?? false
  const isWritten = kind.kind === 'KIND_EMAIL' && outboxText() !== undefined
  const problem = channel && deliveryProblem(channel)
  return (
    <li ref={row} className="flex gap-3.5 py-5">
      <span className="grid size-9 flex-none place-items-center rounded-md border border-line-strong [&_.lucide]:size-4">
        {icons[kind.kind]}
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
          <div className="min-w-0 flex-1 basis-52">
            <h2 className="flex items-center gap-2 text-14/5 font-semibold">
              {kind.name}
              {isOn ? (
                <Badge variant="green">
                  <Check aria-hidden="true" className="size-3" />
                  On
                </Badge>
              ) : (
                <Badge>Off</Badge>
              )}
            </h2>
            <p className="text-ink-2 wrap-anywhere">{describe(kind, channel, email)}</p>
            {channel && isOn && <p className="mt-0.5 text-12 text-ink-3">{formatRule(channel.rule)}</p>}
            {channel?.lastDelivery?.state === 'STATE_DELIVERED' && !problem && (
              <p className="text-12 text-ink-3">
                {isWritten ? 'Last written' : 'Last sent'} <RelativeTime value={channel.lastDelivery.createTime} />
              </p>
            )}
            {problem && <p className="mt-1 text-12 text-red-ink wrap-anywhere">{problem}</p>}
          </div>
          {!isOpen && <Actions kind={kind} channel={channel} onEdit={() => setIsOpen(true)} />}
        </div>
        {isOpen && (
          <>
            <ChannelForm
              key={channel?.id}
              kind={kind.kind}
              channel={channel}
              onClose={() => setIsOpen(false)}
              onSecret={onSecret}
            />
            {channel && <DeliveryLog channel={channel} />}
          </>
        )}
      </div>
    </li>
  )
}

/**
 * Restores lost focus: opening the form removes the focused button, closing it removes the focused field, and removing the
 * channel can remove the button that was focused next.
 */
function useRestoreFocus(isOpen: boolean, hasChannel: boolean) {
  const row = useRef<HTMLLIElement>(null)
  const wasOpen = useRef(isOpen)
  const focused = useRef<HTMLElement>(undefined)
  useEffect(() => {
    const hasToggled = wasOpen.current !== isOpen
    wasOpen.current = isOpen
    const isGone = focused.current?.isConnected === false
    if (!row.current || !(hasToggled || isGone) || !isFocusLost()) return
    const field = isOpen ? row.current.querySelector('input') : null
    focused.current = field ?? [...row.current.querySelectorAll('button')].at(-1)
    focused.current?.focus()
  }, [isOpen, hasChannel])
  return row
}

function recipientsOf({ rule }: Channel, email: string): string {
  return rule.recipients === 'RECIPIENTS_TEAMS' ? 'the teams and owners of the affected targets' : email
}

function describe(kind: ChannelRowProps['kind'], channel: Channel | undefined, email: string): string {
  if (kind.kind === 'KIND_EMAIL') {
    if (!channel?.isEnabled) return kind.sentence
    const recipients = recipientsOf(channel, email)
    const outbox = outboxText()
    return outbox ? `For ${recipients}. ${outbox}` : `Sent to ${recipients}.`
  }
  return channel?.webhookUrl ? maskUrl(channel.webhookUrl) : kind.sentence
}

function Actions({
  kind: { kind, name },
  channel,
  onEdit,
}: Pick<ChannelRowProps, 'kind' | 'channel'> & { readonly onEdit: () => void }) {
  const createChannel = useMutation(create)
  const changeChannel = useMutation(change)
  const testMutation = useMutation(sendTest)
  const isBusy = createChannel.isPending || changeChannel.isPending
  const canToggle = kind === 'KIND_EMAIL' || Boolean(channel?.webhookUrl)
  const toggle = () =>
    channel
      ? changeChannel.mutate({ id: channel.id, channel: { isEnabled: !channel.isEnabled } })
      : createChannel.mutate({ kind })
  // The same button serves with and without a channel, so that it keeps the focus when the channel is created.
  const toggleText = channel ? toggleLabel(channel) : 'Turn on'
  const editText = channel ? 'Edit' : 'Connect'
  return (
    <div className="flex flex-wrap gap-2">
      {channel && canToggle && (
        <Button
          size="sm"
          call="testChannel"
          loading={testMutation.isPending}
          aria-label={`Send test to ${name}`}
          onClick={() =>
            testMutation.mutate(channel.id, { onSuccess: (outcome) => showTestResult({ kind, name }, outcome) })
          }
        >
          Send test
        </Button>
      )}
      {canToggle && (
        <Button
          size="sm"
          call={channel ? 'updateChannel' : 'createChannel'}
          loading={isBusy}
          aria-label={`${toggleText} ${name}`}
          onClick={toggle}
        >
          {toggleText}
        </Button>
      )}
      {(channel || !canToggle) && (
        <Button
          size="sm"
          call={channel ? 'updateChannel' : 'createChannel'}
          aria-label={`${editText} ${name}`}
          onClick={onEdit}
        >
          {editText}
        </Button>
      )}
    </div>
  )
}

function toggleLabel({ isEnabled, failureCount }: Channel): string {
  if (isEnabled) return 'Turn off'
  return failureCount > 0 ? 'Resume' : 'Turn on'
}

function showTestResult(
  { kind, name }: Pick<ChannelRowProps['kind'], 'kind' | 'name'>,
  { error, statusCode, answer: response }: { error: string; statusCode?: number | undefined; answer: string },
) {
  const responseText = response ? ` Response: ${response.slice(0, 120)}` : ''
  if (error) addToast('error', { title: 'Test failed', message: `${error}.${responseText}` })
  else if (kind === 'KIND_EMAIL' && outboxText())
    addToast('info', { title: 'Info', message: `The test was written. ${outboxText()}` })
  else
    addToast('success', {
      title: 'Success',
      message: `Test sent to ${name}${statusCode ? ` (status ${statusCode})` : ''}.`,
    })
}
