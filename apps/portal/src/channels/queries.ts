/** Queries and mutations for notification channels and API tokens. */
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
import { keepPreviousData, mutationOptions } from '@tanstack/react-query'
import { denialOf } from '#lib/role.ts'
import { call } from '#api/call.ts'
import { query } from '#api/query.ts'

export function list() {
  return query(listChannels, {})
}

/** The latest 20 deliveries of a channel. */
export function deliveries(id: string) {
  return query(listDeliveries, { id, pageSize: 20 })
}

/** The number of recent events that match a rule. */
export function preview(rule: InputOf<typeof previewChannel>['rule']) {
  return {
    ...query(previewChannel, { rule }),
    placeholderData: keepPreviousData,
    enabled: rule.events.length > 0 && !denialOf('previewChannel'),
  }
}

export const create = mutationOptions({
  mutationFn: (channel: InputOf<typeof createChannel>['channel']) => call(createChannel, { channel }),
})

export const change = mutationOptions({
  mutationFn: (input: { id: string; channel: InputOf<typeof updateChannel>['channel'] }) =>
    call(updateChannel, { ...input, updateMask: { paths: Object.keys(input.channel) } }),
})

export const remove = mutationOptions({ mutationFn: (id: string) => call(deleteChannel, { id }) })

export const rotate = mutationOptions({
  mutationFn: (id: string) => call(rotateChannelSecret, { id }),
})

export const sendTest = mutationOptions({ mutationFn: (id: string) => call(testChannel, { id }) })

export const redeliverMutation = mutationOptions({
  mutationFn: (input: { id: string; deliveryId: string }) => call(redeliver, input),
})

export function tokens() {
  return query(listApiTokens, {})
}

export const createToken = mutationOptions({
  mutationFn: (apiToken: InputOf<typeof createApiToken>['apiToken']) => call(createApiToken, { apiToken }),
})

export const revokeToken = mutationOptions({
  mutationFn: (id: string) => call(deleteApiToken, { id }),
})
