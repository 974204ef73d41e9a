/** What the portal asks of agents. They come and go, so what is on screen is asked for again every 15 s. */
import {
  createAgent,
  deleteAgent,
  getAgent,
  getAgentInstall,
  type InstallSystem,
  listAgentConnections,
  listAgentJobs,
  listAgents,
  rotateAgentToken,
  updateAgent,
} from '@glacis/contract/agent'
import type { InputOf, ResultOf } from '@glacis/contract/endpoint'
import { getScan, listScans } from '@glacis/contract/scan'
import { getTarget, listTargets } from '@glacis/contract/target'
import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import { allInput } from '#agents/words.ts'
import { call } from '#api/call.ts'
import { keyOf, query, refresh } from '#api/query.ts'

/** How often the state of agents is asked for, in milliseconds. A hidden tab does not ask. */
const refreshMs = 15_000
/** How often one that is awaited is asked for. */
const waitingMs = 2000

export function all() {
  return { ...query(listAgents, allInput), refetchInterval: refreshMs }
}

export function one(id: string) {
  return { ...query(getAgent, { id }), refetchInterval: refreshMs }
}

/** One agent that is about to connect; asked for quickly until it has. */
export function awaited(id: string) {
  return {
    ...query(getAgent, { id }),
    refetchInterval: ({ state }: { state: { data: ResultOf<typeof getAgent> | undefined } }) =>
      state.data?.agent.status === 'STATUS_CONNECTED' ? refreshMs : waitingMs,
  }
}

/** As `all`; asked for quickly until one of them is connected. */
export function anyAwaited() {
  return {
    ...all(),
    refetchInterval: ({ state }: { state: { data: ResultOf<typeof listAgents> | undefined } }) =>
      state.data?.agents.some(({ status }) => status === 'STATUS_CONNECTED') ? refreshMs : waitingMs,
  }
}

/** The last twenty. */
export function jobs(id: string) {
  return { ...query(listAgentJobs, { id, pageSize: 20 }), refetchInterval: refreshMs }
}

/** The connections of the last weeks, newest first. */
export function connections(id: string) {
  return { ...query(listAgentConnections, { id, pageSize: 200 }), refetchInterval: refreshMs }
}

export function install(id: string, system: InstallSystem) {
  return { ...query(getAgentInstall, { id, system }), staleTime: Number.POSITIVE_INFINITY }
}

const touched = [listAgents, getAgent, listTargets, getTarget, listScans, getScan].map((endpoint) => [endpoint.path])

export function create(client: QueryClient) {
  return mutationOptions({
    mutationKey: [createAgent.path],
    mutationFn: (name: string) => call(createAgent, { agent: { name } }),
    onSuccess: () => refresh(client, touched),
  })
}

export function rename(client: QueryClient) {
  return mutationOptions({
    mutationKey: [updateAgent.path],
    mutationFn: ({ id, name }: { readonly id: string; readonly name: string }) =>
      call(updateAgent, { id, agent: { name }, updateMask: { paths: ['name'] } }),
    onSuccess: () => refresh(client, touched),
  })
}

export function rotate(client: QueryClient) {
  return mutationOptions({
    mutationKey: [rotateAgentToken.path],
    mutationFn: (input: InputOf<typeof rotateAgentToken>) => call(rotateAgentToken, input),
    onSuccess: () => refresh(client, [...touched, keyOf(listAgentConnections)]),
  })
}

export function remove(client: QueryClient) {
  return mutationOptions({
    mutationKey: [deleteAgent.path],
    mutationFn: (input: InputOf<typeof deleteAgent>) => call(deleteAgent, input),
    onSuccess: () =>
      refresh(
        client,
        touched.filter(([path]) => path !== getAgent.path),
      ),
  })
}

/** Forgets an agent that is gone. */
export function forget(client: QueryClient, id: string): void {
  client.removeQueries({ queryKey: one(id).queryKey })
}
