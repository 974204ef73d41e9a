/** Address of a new target. The server parses it while the user types, and the field shows the normalized form. */
import type { ResultOf } from '@glacis/contract/endpoint'
import type { parseTargets } from '@glacis/contract/target'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode, Ref } from 'react'
import { formatNumber } from '#lib/format.ts'
import { isList, listError, splitPort } from '#targets/form.ts'
import { parsedAddress } from '#targets/queries.ts'
import { debounceMs, useDebounced } from '#targets/debounce.ts'
import { TextField } from '#ui/field.tsx'

interface AddressFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  /** Error from the form or the server. Takes precedence over the live check, but not over the hint about lists. */
  readonly problem: string | undefined
  readonly ref?: Ref<HTMLInputElement>
  /** An agent scans the target instead of the server. */
  readonly hasAgent?: boolean
  /** Link to adding many targets. */
  readonly aside?: ReactNode
}

export function AddressField({ value, onChange, problem, ref, hasAgent = false, aside }: AddressFieldProps) {
  const debounced = useDebounced(value.trim(), debounceMs)
  const isParsable = debounced !== '' && !isList(debounced)
  const { data } = useQuery({ ...parsedAddress(debounced), enabled: isParsable })
  const reading = debounced === value.trim() ? data?.results[0] : undefined
  const error = (isList(value) ? listError : undefined) ?? problem ?? reading?.error
  const limit = reading?.scanLimit === 'LIMIT_AGENTS_ONLY' && hasAgent ? undefined : reading?.scanLimit
  const recognized = !error && reading ? formatRecognized(reading, limit) : undefined
  const port = splitPort(value)?.port
  const recognition = recognized && port ? `${recognized} Scans are limited to port ${port}.` : recognized
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
      state={error ? 'error' : recognition && !limit ? 'success' : 'default'}
      messages={error ? [error] : recognition ? [recognition] : []}
      hint="Hostname, IP address, range, network, or URL, such as example.ch, 203.0.113.0/28, or https://app.example.ch. Add a port to scan only that one: example.ch:8443"
      aside={aside}
      {...(ref && { ref })}
    />
  )
}

const isLoopback = /^(https?:\/\/)?(127\.|localhost\b|\[?::1(\]|$))/

type ParseResult = ResultOf<typeof parseTargets>['results'][number]

const limits: Readonly<Record<NonNullable<ParseResult['scanLimit']>, string>> = {
  LIMIT_AGENTS_ONLY: ' This server only scans public addresses (GLACIS_SCAN_NETWORKS): choose an agent.',
  LIMIT_FORBIDDEN:
    " GLACIS_SCAN_NETWORKS doesn't include it, so it won't be scanned. Ask your administrator to add its network.",
}

/** "Recognized as 10.0.0.0/28, 16 addresses. Private address: …" */
function formatRecognized(result: ParseResult, limit: ParseResult['scanLimit']): string | undefined {
  const { normalized, readable, hostCount = 1, private: isPrivate, target } = result
  if (normalized === undefined) return undefined
  const hosts = hostCount > 1 ? `, ${formatNumber(hostCount)} addresses` : ''
  const reach = limit
    ? limits[limit]
    : !isPrivate
      ? ''
      : isLoopback.test(normalized)
        ? " Loopback address: this server itself, or an agent's machine if you choose an agent."
        : " Private address: choose an agent if this server can't reach it."
  // Not an error: agents in different networks can scan the same private address.
  const already = target ? ` The target “${target.name}” already has this address.` : ''
  const also = readable === undefined ? '' : ` (${readable})`
  return `Recognized as ${normalized}${also}${hosts}.${reach}${already}`
}
