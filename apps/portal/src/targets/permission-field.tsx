/** Whoever has something on the internet scanned says that they may; the server keeps who and when. */
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { understood } from '#targets/queries.ts'
import { Checkbox, FieldMessages } from '#ui/field.tsx'

export const askPermission = 'Tick this to scan an address on the internet'

interface PermissionFieldProps {
  readonly address: string
  readonly value: boolean
  readonly onChange: (isPermitted: boolean) => void
  readonly problem: string | undefined
}

/** Nothing for private addresses, and until the address is understood. */
export function PermissionField({ address, value, onChange, problem }: PermissionFieldProps) {
  const text = address.trim()
  // What the field above has asked is here already; nothing is asked while somebody types.
  const { data } = useQuery({ ...understood(text), enabled: false })
  if (data?.results[0]?.private !== false) return null
  return (
    <div className="-mt-2">
      <PermissionTick label="I am allowed to scan this address" {...{ value, onChange, problem }} />
    </div>
  )
}

export function PermissionTick({
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
