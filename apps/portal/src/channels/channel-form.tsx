import {
  type Channel,
  type ChannelEvent,
  type ChannelKind,
  type ChannelRule,
  ChannelEvent as Events,
  ChannelRecipients,
} from '@glacis/contract/channel'
import type { Tag } from '@glacis/contract/tag'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorAdvice, fieldProblem } from '#api/advice.ts'
import { ChannelActions } from '#channels/channel-actions.tsx'
import { change, create, preview } from '#channels/queries.ts'
import type { NewSecret } from '#ui/secret-dialog.tsx'
import { urlError, eventLabels, thresholds, defaultRule } from '#channels/labels.ts'
import { tags as tagsQuery } from '#targets/queries.ts'
import { tagColor, Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Checkbox, SelectField, TextField } from '#ui/field.tsx'
import { Note } from '#ui/note.tsx'

interface ChannelFormProps {
  readonly kind: ChannelKind
  readonly channel: Channel | undefined
  readonly onClose: () => void
  readonly onSecret: (shown: NewSecret) => void
}

/** Form for a channel's URL, events, severity, and tags. */
export function ChannelForm({ kind, channel, onClose, onSecret }: ChannelFormProps) {
  const creation = useMutation({
    ...create,
    // Set here rather than in `mutate`, which calls back only while mounted: the form remounts once the list has the
    // channel.
    onSuccess: ({ channel: { secret } }) => {
      onClose()
      if (secret) onSecret({ what: 'signing secret', value: secret })
    },
  })
  const changeChannel = useMutation(change)
  const [address, setAddress] = useState(channel?.webhookUrl ?? '')
  const [rule, setRule] = useState<ChannelRule>(channel?.rule ?? defaultRule)
  const [hasTried, setHasTried] = useState(false)
  const [hasLeft, setHasLeft] = useState(false)
  const isChecked = hasTried || hasLeft
  const serverError = creation.error ?? changeChannel.error
  // An empty URL turns a connected channel off.
  const formError = !channel && address === '' ? 'Required' : urlError(address)
  const problem = formError ?? fieldProblem(serverError, 'webhookUrl')
  const advice = errorAdvice(serverError)
  const hasAddress = kind !== 'KIND_EMAIL'
  const save = (event: FormEvent) => {
    event.preventDefault()
    setHasTried(true)
    if ((hasAddress && formError) || rule.events.length === 0) return
    const webhookUrl = hasAddress ? { webhookUrl: address } : {}
    if (channel) {
      const isEnabled = hasAddress && address === '' ? {} : { isEnabled: true }
      changeChannel.mutate({ id: channel.id, channel: { ...webhookUrl, rule, ...isEnabled } }, { onSuccess: onClose })
    } else creation.mutate({ kind, ...webhookUrl, rule })
  }
  return (
    <form noValidate onSubmit={save} className="mt-3 grid max-w-[600px] gap-4">
      {hasAddress && (
        <TextField
          label="Webhook URL"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          mono
          value={address}
          state={isChecked && problem ? 'error' : 'default'}
          messages={isChecked && problem ? [problem] : []}
          onBlur={() => address && setHasLeft(true)}
          onChange={(event) => {
            setAddress(event.target.value.trim())
            creation.reset()
            changeChannel.reset()
          }}
        />
      )}
      {!hasAddress && <RecipientsField rule={rule} onChange={setRule} />}
      <RuleFields rule={rule} onChange={setRule} hasError={hasTried && rule.events.length === 0} />
      {advice && <Note variant="red">{advice}</Note>}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          size="sm"
          variant="primary"
          call={channel ? 'updateChannel' : 'createChannel'}
          loading={creation.isPending || changeChannel.isPending}
        >
          Save
        </Button>
        <Button size="sm" variant="ghost" onClick={onClose}>
          Cancel
        </Button>
        {channel && <ChannelActions channel={channel} onSecret={onSecret} onGone={onClose} />}
      </div>
    </form>
  )
}

const recipientLabels: Readonly<Record<ChannelRecipients, string>> = {
  RECIPIENTS_WORKSPACE: 'The workspace owner',
  RECIPIENTS_TEAMS: 'Teams and owners of the affected targets',
}

interface RecipientsFieldProps {
  readonly rule: ChannelRule
  readonly onChange: (rule: ChannelRule) => void
}

function RecipientsField({ rule, onChange }: RecipientsFieldProps) {
  return (
    <SelectField
      label="Send to"
      value={rule.recipients ?? 'RECIPIENTS_WORKSPACE'}
      hint="Teams are set up in the workspace settings."
      onChange={({ target }) => onChange({ ...rule, recipients: ChannelRecipients.parse(target.value) })}
    >
      {ChannelRecipients.options.map((value) => (
        <option key={value} value={value}>
          {recipientLabels[value]}
        </option>
      ))}
    </SelectField>
  )
}

function RuleFields({
  rule,
  onChange,
  hasError: isRefused,
}: {
  readonly rule: ChannelRule
  readonly onChange: (rule: ChannelRule) => void
  readonly hasError: boolean
}) {
  const { data: counted } = useQuery(preview(rule))
  const known = useQuery(tagsQuery()).data?.tags ?? []
  const toggle = <T extends string>(list: readonly T[], item: T) =>
    list.includes(item) ? list.filter((other) => other !== item) : [...list, item]
  return (
    <>
      <fieldset>
        <legend className="mb-1.5 font-medium">Events</legend>
        <div className="grid grid-cols-2 gap-x-6 gap-y-1.5 max-md:grid-cols-1">
          {Events.options.map((event: ChannelEvent) => (
            <Checkbox
              key={event}
              label={eventLabels[event]}
              checked={rule.events.includes(event)}
              onChange={() => onChange({ ...rule, events: toggle(rule.events, event) })}
            />
          ))}
        </div>
        {isRefused && <p className="mt-1.5 text-12 text-red-ink">Choose at least one event.</p>}
      </fieldset>
      <SelectField
        label="Minimum severity"
        value={String(thresholds.findLast(({ score }) => score <= rule.minSeverity)?.score ?? 0)}
        onChange={(event) => onChange({ ...rule, minSeverity: Number(event.target.value) })}
      >
        {thresholds.map(({ score, word }) => (
          <option key={score} value={score}>
            {word}
          </option>
        ))}
      </SelectField>
      {known.length > 0 && (
        <fieldset>
          <legend className="mb-1.5 font-medium">Only targets with any of these tags</legend>
          <div className="flex flex-wrap gap-x-5 gap-y-1.5">
            {known.map((tag: Tag) => (
              <Checkbox
                key={tag.id}
                label={<Badge variant={tagColor(tag.color)}>{tag.name}</Badge>}
                checked={rule.tagIds.includes(tag.id)}
                onChange={() => onChange({ ...rule, tagIds: toggle(rule.tagIds, tag.id) })}
              />
            ))}
          </div>
        </fieldset>
      )}
      {counted && rule.events.length > 0 && (
        <p aria-live="polite" className="text-12 text-ink-3">
          {`${counted.eventCount === 1 ? '1 event' : `${counted.eventCount} events`} in the last ${counted.days} days matched these settings. Events that happen close together are combined into one message.`}
        </p>
      )}
    </>
  )
}
