/** How a target is scanned: how hard, which ports, and what is left out. */
import type { ScanProfile } from '@glacis/contract/primitives'
import { ratePerHost } from '@glacis/contract/target'
import type { Problems, TargetDraft } from '#targets/form.ts'
import { profileWords } from '#targets/words.ts'
import { TextField } from '#ui/field.tsx'
import { RadioCard } from '#ui/radio-card.tsx'
import { TextAreaField } from '#ui/text-area.tsx'

const profiles: readonly { readonly value: ScanProfile; readonly hint: string }[] = [
  { value: 'gentle', hint: 'For production: at most 50 requests a second to each host.' },
  { value: 'standard', hint: 'Three times the pace; checks chosen by what was recognised.' },
  { value: 'deep', hint: 'Every check, six times the pace. For hosts that bear it.' },
]

interface MannerFieldsProps {
  readonly draft: TargetDraft
  readonly problems: Problems
  readonly onChange: (change: Partial<TargetDraft>) => void
}

export function MannerFields({ draft, problems, onChange }: MannerFieldsProps) {
  // A URL names its port itself.
  const isUrl = /^https?:/i.test(draft.address.trim())
  return (
    <>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 leading-4.5 font-medium">Pace</legend>
        {profiles.map(({ value, hint }) => (
          <RadioCard
            key={value}
            name="profile"
            label={profileWords[value]}
            hint={hint}
            checked={draft.profile === value}
            onChange={() => onChange({ profile: value })}
          />
        ))}
      </fieldset>
      <TextField
        label="Requests per second and host"
        name="rate"
        optional
        inputMode="numeric"
        autoComplete="off"
        maxLength={6}
        hint={`A limit of your own, ${ratePerHost.min} to ${ratePerHost.max}`}
        value={draft.rate}
        onChange={(event) => onChange({ rate: event.currentTarget.value })}
        {...said(problems.rate)}
      />
      {!isUrl && (
        <TextField
          label="Ports"
          name="ports"
          optional
          mono
          autoComplete="off"
          maxLength={2000}
          hint="The common 1,000 unless you name others: 22, 80, 8000-8100"
          value={draft.ports}
          onChange={(event) => onChange({ ports: event.currentTarget.value })}
          {...said(problems.ports)}
        />
      )}
      <TextAreaField
        label="Never scan"
        name="exclusions"
        optional
        rows={4}
        spellCheck={false}
        className="font-mono"
        hint="One to a line: an address, a network, a range, 10.0.0.7:22 for one port of one address, *:9100 for a port of all."
        value={draft.exclusions}
        onChange={(event) => onChange({ exclusions: event.currentTarget.value })}
        messages={problems.exclusions ? [problems.exclusions] : []}
      />
    </>
  )
}

function said(problem: string | undefined) {
  return problem ? { state: 'error' as const, messages: [problem] } : {}
}
