/** Confirmation that the user may scan an internet address. The server records who confirmed and when. */
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { parsedAddress } from '#targets/queries.ts'
import { Checkbox, FieldMessages } from '#ui/field.tsx'

export const permissionError = "To scan an address on the internet, confirm that you're authorized"

interface PermissionFieldProps {
  readonly address: string
  readonly value: boolean
  readonly onChange: (isPermitted: boolean) => void
  readonly problem: string | undefined
}

/** Renders nothing for private addresses or until the address is parsed. */
export function PermissionField({ address, value, onChange, problem }: PermissionFieldProps) {
  const text = address.trim()
  // Reads the address field's cached result and never fetches while the user types.
  const { data } = useQuery({ ...parsedAddress(text), enabled: false })
  if (data?.results[0]?.private !== false) return null
  return (
    <div className="-mt-2">
      <PermissionCheckbox label="I'm authorized to scan this address" {...{ value, onChange, problem }} />
    </div>
  )
}

export function PermissionCheckbox({
  label,
  value,
  onChange,
  problem,
}: Omit<PermissionFieldProps, 'address'> & { readonly label: string }) {
  const messagesId = useId()
  return (
    <div className="grid gap-1.5" data-invalid={problem ? '' : undefined}>
      <Checkbox
        label={label}
        checked={value}
        aria-describedby={problem ? messagesId : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {problem && <FieldMessages id={messagesId} messages={[problem]} state="error" />}
    </div>
  )
}
