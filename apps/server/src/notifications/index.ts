/** Word of what happened: written with the change itself, streamed to pages, sent through channels. */
export {
  afterRestore,
  announce,
  type Announcement,
  announcing,
  type Moment,
  noticesSince,
  startOfStream,
} from '#notifications/announce.ts'
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
export { takeUp, takeUpAll } from '#notifications/dispatch.ts'
export { failLost } from '#notifications/lost.ts'
export { forgetTag } from '#notifications/tags.ts'
export { forgetOld } from '#notifications/retain.ts'
