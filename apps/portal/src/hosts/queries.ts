/** What the portal asks of hosts. */
import { type InputOf } from '@glacis/contract/endpoint'
import { affectedHostsOverTime } from '@glacis/contract/insights'
import { getHost, listHosts } from '@glacis/contract/inventory'
import { keepPreviousData } from '@tanstack/react-query'
import { query } from '#api/query.ts'

export function list(input: InputOf<typeof listHosts>) {
  return { ...query(listHosts, input), placeholderData: keepPreviousData }
}

export function one(id: string) {
  return query(getHost, { id })
}

/** Hosts with at least one active issue, over a period. */
export function affectedOverTime(input: InputOf<typeof affectedHostsOverTime>) {
  return { ...query(affectedHostsOverTime, input), placeholderData: keepPreviousData }
}
