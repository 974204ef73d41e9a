/** Notifications: events recorded with each change, streamed to pages and sent through channels. */
export {
  afterRestore,
  announce,
  type Announcement,
  announceRows,
  noticesSince,
  startOfStream,
} from '#notifications/announce.ts'
export { type StreamPosition, encryptEventIdsWith, eventId, readEventId } from '#notifications/event-id.ts'
export {
  createChannel,
  deleteChannel,
  listChannels,
  previewChannel,
  rotateSecret,
  updateChannel,
} from '#notifications/channels.ts'
export { listDeliveries, redeliver, testChannel } from '#notifications/deliveries.ts'
export { runDelivery, type Sending } from '#notifications/deliver.ts'
export { createDeliveries, createAllDeliveries } from '#notifications/dispatch.ts'
export { failLost } from '#notifications/lost-deliveries.ts'
export { removeTagFromRules } from '#notifications/tags.ts'
export { deleteOldEvents } from '#notifications/retention.ts'
