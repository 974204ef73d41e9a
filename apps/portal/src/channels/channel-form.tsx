import type { Channel, ChannelEvent, ChannelKind, ChannelRule } from '@glacis/contract/channel'
import { ChannelEvent as Events } from '@glacis/contract/channel'
import type { Tag } from '@glacis/contract/tag'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { adviceOf } from '#api/advice.ts'
import { ApiFailure } from '#api/failure.ts'
import { ChannelEnds } from '#channels/channel-ends.tsx'
import { change, create, preview } from '#channels/queries.ts'
import type { Shown } from '#channels/secret-dialog.tsx'
import { addressProblem, eventWords, thresholds, usualRule } from '#channels/words.ts'
import { tags as tagsQuery } from '#targets/queries.ts'
import { tagColour, Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Checkbox, SelectField, TextField } from '#ui/field.tsx'
import { Note } from '#ui/note.tsx'

interface ChannelFormProps {
  readonly kind: ChannelKind
  readonly channel: Channel | undefined
  readonly onClose: () => void
  readonly onSecret: (shown: Shown) => void
}

/** Address, events, severity and tags of a channel. */
export function ChannelForm({ kind, channel, onClose, onSecret }: ChannelFormProps) {
  const client = useQueryClient()
  const making = useMutation(create(client))
  const changing = useMutation(change(client))
  const [address, setAddress] = useState(channel?.webhookUrl ?? '')
  const [rule, setRule] = useState<ChannelRule>(channel?.rule ?? usualRule)
  const [hasTried, setHasTried] = useState(false)
  const [hasLeft, setHasLeft] = useState(false)
  const isChecked = hasTried || hasLeft
  const refusal = making.error ?? changing.error
  const problem = addressProblem(address) ?? refusedAddress(refusal)
  const advice = adviceOf(refusal)
  const hasAddress = kind !== 'KIND_EMAIL'
  const save = (event: FormEvent) => {
    event.preventDefault()
    setHasTried(true)
    if ((hasAddress && addressProblem(address)) || rule.events.length === 0) return
    const webhookUrl = hasAddress ? { webhookUrl: address } : {}
    if (channel) {
      const isEnabled = hasAddress && address === '' ? {} : { isEnabled: true }
      changing.mutate({ id: channel.id, channel: { ...webhookUrl, rule, ...isEnabled } }, { onSuccess: onClose })
    } else if (hasAddress && address === '') onClose()
    else {
      const onSuccess = ({ channel: made }: { channel: Channel }) => {
        onClose()
        if (made.secret) onSecret({ what: 'signing secret', value: made.secret })
      }
      making.mutate({ kind, ...webhookUrl, rule }, { onSuccess })
    }
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
            making.reset()
            changing.reset()
          }}
        />
      )}
      <RuleFields rule={rule} onChange={setRule} isRefused={hasTried && rule.events.length === 0} />
      {advice && <Note variant="red">{advice}</Note>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="sm" variant="primary" loading={making.isPending || changing.isPending}>
          Save
        </Button>
        <Button size="sm" variant="ghost" onClick={onClose}>
          Cancel
        </Button>
        {channel && <ChannelEnds channel={channel} onSecret={onSecret} onGone={onClose} />}
      </div>
    </form>
  )
}

function refusedAddress(error: Error | null): string | undefined {
  return error instanceof ApiFailure ? error.fieldErrors.get('channel.webhookUrl') : undefined
}

function RuleFields({
  rule,
  onChange,
  isRefused,
}: {
  readonly rule: ChannelRule
  readonly onChange: (rule: ChannelRule) => void
  readonly isRefused: boolean
}) {
  const { data: counted } = useQuery(preview(rule))
  const known = useQuery(tagsQuery()).data?.tags ?? []
  const toggle = <T extends string>(list: readonly T[], one: T) =>
    list.includes(one) ? list.filter((other) => other !== one) : [...list, one]
  return (
    <>
      <fieldset>
        <legend className="mb-1.5 font-medium">Events</legend>
        <div className="grid grid-cols-2 gap-x-6 gap-y-1.5 max-md:grid-cols-1">
          {Events.options.map((event: ChannelEvent) => (
            <Checkbox
              key={event}
              label={eventWords[event]}
              checked={rule.events.includes(event)}
              onChange={() => onChange({ ...rule, events: toggle(rule.events, event) })}
            />
          ))}
        </div>
        {isRefused && <p className="mt-1.5 text-12 text-red-ink">Choose at least one event.</p>}
      </fieldset>
      <SelectField
        label="Severity of risks"
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
          <legend className="mb-1.5 font-medium">Only scopes with one of these tags</legend>
          <div className="flex flex-wrap gap-x-5 gap-y-1.5">
            {known.map((tag: Tag) => (
              <Checkbox
                key={tag.id}
                label={<Badge variant={tagColour(tag.color)}>{tag.name}</Badge>}
                checked={rule.tagIds.includes(tag.id)}
                onChange={() => onChange({ ...rule, tagIds: toggle(rule.tagIds, tag.id) })}
              />
            ))}
          </div>
        </fieldset>
      )}
      {counted && rule.events.length > 0 && (
        <p aria-live="polite" className="text-12 text-ink-3">
          {`${counted.eventCount === 1 ? '1 event' : `${counted.eventCount} events`} of the last ${counted.days} days would have been told. What happens during a scan is told in one message.`}
        </p>
      )}
    </>
  )
}
