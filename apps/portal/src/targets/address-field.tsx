/** The address of a new target: checked by the server while it is typed, and echoed as it is understood. */
import type { ResultOf } from '@glacis/contract/endpoint'
import type { parseTargets } from '@glacis/contract/target'
import { useQuery } from '@tanstack/react-query'
import { type Ref, useEffect, useState } from 'react'
import { formatNumber } from '#lib/format.ts'
import { isList, listText } from '#targets/form.ts'
import { list, understood } from '#targets/queries.ts'
import { TextField } from '#ui/field.tsx'

interface AddressFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  /** What the form or the server has to say; it wins over the live check. */
  readonly problem: string | undefined
  readonly ref?: Ref<HTMLInputElement>
}

/** How long a pause in typing is before the address is checked, in milliseconds. */
const pauseMs = 350

export function AddressField({ value, onChange, problem, ref }: AddressFieldProps) {
  const settled = useSettled(value.trim(), pauseMs)
  const asked = settled !== '' && !isList(settled)
  const { data } = useQuery({ ...understood(settled), enabled: asked })
  const reading = settled === value.trim() ? data?.results[0] : undefined
  const error = problem ?? (isList(value) ? listText : reading?.error)
  const twin = useTwin(reading?.normalized)
  const echo = !error && reading ? echoOf(reading, twin) : undefined
  return (
    <TextField
      label="Address"
      mono
      required
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={2048}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      state={error ? 'error' : echo ? 'success' : 'default'}
      messages={error ? [error] : echo ? [echo] : []}
      hint="Host name, IP address, range, network or URL: example.ch, 203.0.113.0/28, https://app.example.ch"
      {...(ref && { ref })}
    />
  )
}

type Reading = ResultOf<typeof parseTargets>['results'][number]

/** "Understood as 203.0.113.0/28, 16 hosts. Private addresses …" */
function echoOf({ normalized, hostCount = 1, private: isPrivate }: Reading, twin?: string): string | undefined {
  if (normalized === undefined) return undefined
  const hosts = hostCount > 1 ? `, ${formatNumber(hostCount)} addresses` : ''
  const reach = isPrivate ? ' A private address: only a scanner inside that network reaches it.' : ''
  const already = twin === undefined ? '' : ` The target “${twin}” has this address already.`
  return `Understood as ${normalized}${hosts}.${reach}${already}`
}

/** Name of a target with the same address: two may be meant, where agents stand in different networks. */
function useTwin(address: string | undefined): string | undefined {
  const enabled = address !== undefined
  const { data } = useQuery({ ...list({ pageSize: 25, filter: { query: address ?? '' } }), enabled })
  return enabled ? data?.targets.find((target) => target.address === address)?.name : undefined
}

/** The value once it has stood still. */
function useSettled(value: string, waitMs: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), waitMs)
    return () => clearTimeout(timer)
  }, [value, waitMs])
  return settled
}
