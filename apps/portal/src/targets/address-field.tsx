/** The address of a new target: checked by the server while it is typed, and echoed as it is understood. */
import type { ResultOf } from '@glacis/contract/endpoint'
import type { parseTargets } from '@glacis/contract/target'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode, Ref } from 'react'
import { formatNumber } from '#lib/format.ts'
import { isList, listText } from '#targets/form.ts'
import { understood } from '#targets/queries.ts'
import { pauseMs, useSettled } from '#targets/settled.ts'
import { TextField } from '#ui/field.tsx'

interface AddressFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  /** What the form or the server has to say; it wins over the live check, but not over what a list is told. */
  readonly problem: string | undefined
  readonly ref?: Ref<HTMLInputElement>
  /** The way to adding many at once. */
  readonly aside?: ReactNode
}

export function AddressField({ value, onChange, problem, ref, aside }: AddressFieldProps) {
  const settled = useSettled(value.trim(), pauseMs)
  const asked = settled !== '' && !isList(settled)
  const { data } = useQuery({ ...understood(settled), enabled: asked })
  const reading = settled === value.trim() ? data?.results[0] : undefined
  const error = (isList(value) ? listText : undefined) ?? problem ?? reading?.error
  const echo = !error && reading ? echoOf(reading) : undefined
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
      aside={aside}
      {...(ref && { ref })}
    />
  )
}

type Reading = ResultOf<typeof parseTargets>['results'][number]

/** "Understood as 203.0.113.0/28, 16 hosts. Private addresses …" */
function echoOf({ normalized, readable, hostCount = 1, private: isPrivate, target }: Reading): string | undefined {
  if (normalized === undefined) return undefined
  const hosts = hostCount > 1 ? `, ${formatNumber(hostCount)} addresses` : ''
  const reach = isPrivate ? ' A private address: only a scanner inside that network reaches it.' : ''
  // Two may be meant, where agents stand in different networks.
  const already = target ? ` The target “${target.name}” has this address already.` : ''
  const also = readable === undefined ? '' : ` (${readable})`
  return `Understood as ${normalized}${also}${hosts}.${reach}${already}`
}
