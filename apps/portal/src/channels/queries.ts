/** What the portal asks of channels and API tokens. */
import { createApiToken, deleteApiToken, listApiTokens } from '@glacis/contract/access'
import {
  createChannel,
  deleteChannel,
  listChannels,
  listDeliveries,
  previewChannel,
  redeliver,
  rotateChannelSecret,
  testChannel,
  updateChannel,
} from '@glacis/contract/channel'
import type { InputOf } from '@glacis/contract/endpoint'
import { keepPreviousData, mutationOptions, type QueryClient } from '@tanstack/react-query'
import { call } from '#api/call.ts'
import { keyOf, query, refresh } from '#api/query.ts'

export function list() {
  return query(listChannels, {})
}

/** What went through a channel of late. */
export function deliveries(id: string) {
  return query(listDeliveries, { id, pageSize: 20 })
}

/** How much a rule would have told of in the last 30 days. */
export function preview(rule: InputOf<typeof previewChannel>['rule']) {
  return { ...query(previewChannel, { rule }), placeholderData: keepPreviousData, enabled: rule.events.length > 0 }
}

export function create(client: QueryClient) {
  return mutationOptions({
    mutationFn: (channel: InputOf<typeof createChannel>['channel']) => call(createChannel, { channel }),
    onSettled: () => refresh(client, [keyOf(listChannels)]),
  })
}

export function change(client: QueryClient) {
  return mutationOptions({
    mutationFn: (input: { id: string; channel: InputOf<typeof updateChannel>['channel'] }) =>
      call(updateChannel, { ...input, updateMask: { paths: Object.keys(input.channel) } }),
    onSettled: () => refresh(client, [keyOf(listChannels)]),
  })
}

/** @param onGone called when it is on the list no more */
export function remove(client: QueryClient, onGone: () => void) {
  return mutationOptions({
    mutationFn: (id: string) => call(deleteChannel, { id }),
    onSuccess: async () => {
      await refresh(client, [keyOf(listChannels)])
      onGone()
    },
    onError: () => refresh(client, [keyOf(listChannels)]),
  })
}

export function rotate(client: QueryClient) {
  return mutationOptions({
    mutationFn: (id: string) => call(rotateChannelSecret, { id }),
    onSettled: () => refresh(client, [keyOf(listChannels)]),
  })
}

export function sendTest() {
  return mutationOptions({ mutationFn: (id: string) => call(testChannel, { id }) })
}

export function sendAgain(client: QueryClient) {
  return mutationOptions({
    mutationFn: (input: { id: string; deliveryId: string }) => call(redeliver, input),
    onSettled: () => refresh(client, [keyOf(listDeliveries), keyOf(listChannels)]),
  })
}

export function tokens() {
  return query(listApiTokens, {})
}

export function makeToken(client: QueryClient) {
  return mutationOptions({
    mutationFn: (apiToken: InputOf<typeof createApiToken>['apiToken']) => call(createApiToken, { apiToken }),
    onSettled: () => refresh(client, [keyOf(listApiTokens)]),
  })
}

export function revokeToken(client: QueryClient) {
  return mutationOptions({
    mutationFn: (id: string) => call(deleteApiToken, { id }),
    onSettled: () => refresh(client, [keyOf(listApiTokens)]),
  })
}
