/** Scan settings of a target: profile, rate limit, ports, and exclusions. */
import { intrusiveCheckRoles } from '@glacis/contract/permissions'
import { CheckPermission, type ScanProfile } from '@glacis/contract/primitives'
import { defaultPortCount, ratePerHost } from '@glacis/contract/target'
import { formatNumber } from '#lib/format.ts'
import { useRole } from '#lib/role.ts'
import { type FieldErrors, splitPort, type TargetDraft } from '#targets/form.ts'
import { permissionLabels, profileLabels } from '#targets/labels.ts'
import { Checkbox, TextField } from '#ui/field.tsx'
import { RadioCard } from '#ui/radio-card.tsx'
import { TextAreaField } from '#ui/text-area.tsx'

const profiles: readonly { readonly value: ScanProfile; readonly hint: string }[] = [
  { value: 'gentle', hint: 'Safe for production: at most 250 requests per second per host.' },
  { value: 'standard', hint: 'Twice the rate, and more concurrent connections.' },
  {
    value: 'deep',
    hint: `All ${formatNumber(65_535)} ports at four times the rate. For hosts that can handle the load.`,
  },
]

interface ScanSettingsFieldsProps {
  readonly draft: TargetDraft
  readonly problems: FieldErrors
  readonly onChange: (change: Partial<TargetDraft>) => void
}

export function ScanSettingsFields({ draft, problems, onChange }: ScanSettingsFieldsProps) {
  const role = useRole()
  const canPermit = role === undefined || intrusiveCheckRoles.includes(role)
  // A URL and HOST:PORT already specify the port.
  const hasPort = /^https?:/i.test(draft.address.trim()) || splitPort(draft.address) !== undefined
  return (
    <>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 leading-4.5 font-medium">Scan profile</legend>
        {profiles.map(({ value, hint }) => (
          <RadioCard
            key={value}
            name="profile"
            label={profileLabels[value]}
            hint={hint}
            checked={draft.profile === value}
            onChange={() => onChange({ profile: value })}
          />
        ))}
      </fieldset>
      <fieldset className="grid gap-2" disabled={!canPermit}>
        <legend className="mb-1.5 leading-4.5 font-medium">Intrusive checks</legend>
        {CheckPermission.options.map((permission) => (
          <Checkbox
            key={permission}
            label={permissionLabels[permission]}
            checked={draft.permissions.includes(permission)}
            onChange={({ currentTarget }) =>
              onChange({ permissions: permissionsAfter(draft.permissions, permission, currentTarget.checked) })
            }
          />
        ))}
        <p className="text-ink-3">
          Off by default. Login attempts may lock accounts.
          {!canPermit && ' Only an owner or admin can change these settings.'}
        </p>
      </fieldset>
      <TextField
        label="Requests per second per host"
        name="rate"
        optional
        inputMode="numeric"
        autoComplete="off"
        maxLength={6}
        hint={`From ${ratePerHost.min} to ${ratePerHost.max}. Leave empty to use the profile's limit.`}
        value={draft.rate}
        onChange={(event) => onChange({ rate: event.currentTarget.value })}
        {...errorProps(problems.rate)}
      />
      {!hasPort && (
        <TextField
          label="Ports"
          name="ports"
          optional
          mono
          autoComplete="off"
          maxLength={2000}
          hint={`Leave empty for the ${formatNumber(defaultPortCount)} most common ports, or all ports with the deep profile. Example: 22, 80, 8000-8100`}
          value={draft.ports}
          onChange={(event) => onChange({ ports: event.currentTarget.value })}
          {...errorProps(problems.ports)}
        />
      )}
      <TextAreaField
        label="Exclusions"
        name="exclusions"
        optional
        rows={4}
        spellCheck={false}
        className="font-mono"
        hint="Never scanned. One per line: an address, range, or network; 10.0.0.7:22 for one port on an address; *:9100 for a port on every address."
        value={draft.exclusions}
        onChange={(event) => onChange({ exclusions: event.currentTarget.value })}
        messages={problems.exclusions ? [problems.exclusions] : []}
      />
    </>
  )
}

function permissionsAfter(before: readonly CheckPermission[], changed: CheckPermission, isAllowed: boolean) {
  const others = before.filter((permission) => permission !== changed)
  return isAllowed ? [...others, changed] : others
}

function errorProps(problem: string | undefined) {
  return problem ? { state: 'error' as const, messages: [problem] } : {}
}
