/** Queries and mutations for agents. Visible queries are polled every 15 s because agents connect and disconnect. */
import {
  createAgent,
  deleteAgent,
  getAgent,
  getAgentInstall,
  getAgentInventory,
  type InstallSystem,
  listAgentConnections,
  listAgentJobs,
  listAgentPackages,
  listAgents,
  rotateAgentToken,
  updateAgent,
} from '@glacis/contract/agent'
import type { InputOf, ResultOf } from '@glacis/contract/endpoint'
import { keepPreviousData, mutationOptions, type QueryClient } from '@tanstack/react-query'
import { maxPageInput } from '#agents/labels.ts'
import { call } from '#api/call.ts'
import { keyOf, pages, query } from '#api/query.ts'

/** Polling interval in milliseconds. Hidden tabs don't poll. */
const pollMs = 15_000
/** Polling interval while waiting for an agent to connect, in milliseconds. */
const connectPollMs = 2000

export function all() {
  return { ...query(listAgents, maxPageInput), refetchInterval: pollMs }
}

export function detail(id: string) {
  return { ...query(getAgent, { id }), refetchInterval: pollMs }
}

/** One agent, polled every 2 s until it is connected. */
export function pollUntilConnected(id: string) {
  return {
    ...query(getAgent, { id }),
    refetchInterval: ({ state }: { state: { data: ResultOf<typeof getAgent> | undefined } }) =>
      state.data?.agent.status === 'STATUS_CONNECTED' ? pollMs : connectPollMs,
  }
}

/** All agents, polled every 2 s until one is connected. */
export function pollUntilAnyConnected() {
  return {
    ...all(),
    refetchInterval: ({ state }: { state: { data: ResultOf<typeof listAgents> | undefined } }) =>
      state.data?.agents.some(({ status }) => status === 'STATUS_CONNECTED') ? pollMs : connectPollMs,
  }
}

/** The latest 20 jobs. */
export function jobs(id: string) {
  return { ...query(listAgentJobs, { id, pageSize: 20 }), refetchInterval: pollMs }
}

/** The latest 200 connections, newest first. */
export function connections(id: string) {
  return { ...query(listAgentConnections, { id, pageSize: 200 }), refetchInterval: pollMs }
}

/** What the agent reports about its own machine. */
export function machine(id: string) {
  return { ...query(getAgentInventory, { id }), refetchInterval: pollMs }
}

/** Packages of the agent's machine whose names contain `text`, vulnerable ones first. */
export function packages(id: string, text: string) {
  const filter = text === '' ? undefined : { query: text }
  const list = pages(keyOf(listAgentPackages, { id, filter }), (pageToken, options) =>
    call(listAgentPackages, { id, filter, pageSize: 25, pageToken }, options),
  )
  return { ...list, placeholderData: keepPreviousData }
}

export function install(id: string, system: InstallSystem) {
  return { ...query(getAgentInstall, { id, system }), staleTime: Number.POSITIVE_INFINITY }
}

export const create = mutationOptions({ mutationFn: (name: string) => call(createAgent, { agent: { name } }) })

export const rename = mutationOptions({
  mutationFn: ({ id, name }: { readonly id: string; readonly name: string }) =>
    call(updateAgent, { id, agent: { name }, updateMask: { paths: ['name'] } }),
})

export const setInventory = mutationOptions({
  mutationFn: ({ id, inventory }: { readonly id: string; readonly inventory: boolean }) =>
    call(updateAgent, { id, agent: { inventory }, updateMask: { paths: ['inventory'] } }),
})

export const limit = mutationOptions({
  mutationFn: ({ id, agent }: Pick<InputOf<typeof updateAgent>, 'id' | 'agent'>) =>
    call(updateAgent, { id, agent, updateMask: { paths: Object.keys(agent) } }),
})

export const rotate = mutationOptions({
  mutationFn: (input: InputOf<typeof rotateAgentToken>) => call(rotateAgentToken, input),
})

export const remove = mutationOptions({
  // The deleted agent's page is still on screen.
  meta: { except: getAgent.path },
  mutationFn: (input: InputOf<typeof deleteAgent>) => call(deleteAgent, input),
})

/** Removes a deleted agent from the cache. */
export function removeFromCache(client: QueryClient, id: string): void {
  client.removeQueries({ queryKey: detail(id).queryKey })
}
