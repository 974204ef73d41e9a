/** A list of addresses and networks in CIDR notation. */
import { AllowedNetworks } from '@glacis/contract/primitives'
import { TextAreaField } from '#ui/text-area.tsx'

interface NetworksFieldProps {
  readonly value: string
  readonly problem: string | undefined
  readonly hint: string
  readonly disabled?: boolean
  readonly onChange: (text: string) => void
}

export function NetworksField({ value, problem, hint, disabled = false, onChange }: NetworksFieldProps) {
  return (
    <TextAreaField
      label="Allowed networks"
      optional
      rows={2}
      disabled={disabled}
      autoComplete="off"
      spellCheck={false}
      className="font-mono"
      value={value}
      messages={problem ? [problem] : []}
      hint={hint}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

/** The entries, separated by spaces, commas, semicolons, or lines. */
export function parseNetworks(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean)
}

/** Names the first entry that isn't an address or a network. */
export function networksProblem(text: string): string | undefined {
  const entry = parseNetworks(text).find((item) => !AllowedNetworks.safeParse([item]).success)
  return entry === undefined ? undefined : `“${entry}” isn't an address or a network, such as 192.0.2.0/24.`
}
