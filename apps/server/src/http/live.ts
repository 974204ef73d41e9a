/** Streams a workspace's events as server-sent events. */
import { once } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Database, inWorkspace } from '#database/index.ts'
import { invalid, ApiError } from '#errors.ts'
import type { Guard } from '#http/guard.ts'
import type { Live } from '#live.ts'
import { type StreamPosition, eventId, noticesSince, readEventId, startOfStream } from '#notifications/index.ts'

/** Maximum concurrent streams per workspace. */
const streamsMax = 50
/** Maximum rows per read; the next read follows immediately. */
const readMax = 200
/** Interval of keep-alive comments, which stop proxies from closing the stream, and of session checks. */
const keepAliveMs = 20_000

interface Dependencies {
  readonly database: Database
  readonly guard: Guard
  readonly live: Live
}
type Admitted = Awaited<ReturnType<Guard['admit']>>

/**
 * Serves `GET /v1/events`. Each message has its kind (`EVENT_…`) as event name, the event as JSON, and an ID. Browsers
 * send the last ID as `Last-Event-ID` when they reconnect, and get all later events of the last 30 days.
 */
export function serveLive(app: FastifyInstance, { database, guard, live }: Dependencies): void {
  const open = new Map<string, number>()
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  // No HEAD route: the response never ends.
  app.get('/v1/events', { exposeHeadRoute: false }, async (request, reply) => {
    const as = await guard.admit(request, 'streamEvents')
    const count = open.get(as.workspace) ?? 0
    if (count >= streamsMax)
      throw new ApiError('quota_exceeded', `At most ${streamsMax} event streams can be open per workspace`, {
        retryAfterSeconds: keepAliveMs / 1000, // until streams without a reader are closed
      })
    // Count before the first await, so that concurrent requests can't exceed the limit.
    open.set(as.workspace, count + 1)
    const release = () => open.set(as.workspace, (open.get(as.workspace) ?? 1) - 1)
    try {
      const from = await start(database, as, request)
      void stream(request, reply, { database, guard, live, as, from, closing: closing.signal }).finally(release)
    } catch (error) {
      release()
      throw error
    }
    return reply
  })
}

async function start(database: Database, as: Admitted, request: FastifyRequest): Promise<StreamPosition> {
  const last = request.headers['last-event-id']
  const now = await inWorkspace(database, as, startOfStream)
  if (last === undefined || last === '') return now
  const position = readEventId(as.workspace, String(last))
  if (!position) throw invalid('Last-Event-ID', 'Not an event ID from this server')
  // A position in the future is from another workspace, or from the database that this one was restored from. Start from
  // now instead of waiting.
  return BigInt(position.xid) > BigInt(now.xid) ? now : position
}

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  o: Dependencies & { as: Admitted; from: StreamPosition; closing: AbortSignal },
): Promise<void> {
  reply.hijack()
  const { raw } = reply
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  raw.write('retry: 3000\n\n')
  let position = o.from
  let work: Promise<void> = Promise.resolve()
  let isWaiting = false
  const ended = new AbortController()
  const send = async () => {
    isWaiting = false
    while (!ended.signal.aborted) {
      // Wait for a slow client instead of buffering events.
      if (raw.writableNeedDrain) await once(raw, 'drain', { signal: ended.signal })
      // Pages refetch after an event, and the replica must contain the change by then.
      await o.database.replica?.caughtUp()
      const notices = await inWorkspace(o.database, o.as, (ctx) => noticesSince(ctx, position, readMax))
      for (const { position: at, ...notice } of ended.signal.aborted ? [] : notices) {
        raw.write(`id: ${eventId(o.as.workspace, at)}\nevent: ${notice.kind}\ndata: ${JSON.stringify(notice)}\n\n`)
        position = at
      }
      if (notices.length < readMax) return
    }
  }
  const end = () => {
    if (ended.signal.aborted) return
    ended.abort()
    // `end` would wait for a client that has stopped reading.
    if (raw.writableNeedDrain) raw.destroy()
    else raw.end()
  }
  const fail = (error: unknown) => {
    if (ended.signal.aborted) return
    request.log.warn({ err: error }, 'event stream failed')
    end()
  }
  const poll = () => {
    if (isWaiting) return
    isWaiting = true
    work = work.then(send).catch(fail)
  }
  const sendKeepAlive = () => {
    if (!ended.signal.aborted && !raw.writableNeedDrain) raw.write(': alive\n\n')
  }
  // The person may have been removed or given another role, or the token may have been revoked.
  const recheck = async () => {
    const { actor } = await o.guard.admit(request, 'streamEvents', o.as.workspace)
    if (actor.role !== o.as.actor.role) throw new ApiError('forbidden', 'The role was changed')
  }
  const keepAlive = setInterval(() => {
    recheck().then(sendKeepAlive, end)
    // Pick up events that an older transaction held back when their hint came.
    poll()
  }, keepAliveMs)
  const polling = pollTwice(poll)
  const stop = o.live.onHint(o.as.workspace, polling.hint)
  const stopMembers = o.live.onMembers(o.as.workspace, () => void recheck().catch(end))
  o.closing.addEventListener('abort', end)
  await new Promise((resolve) => {
    raw.once('close', resolve)
    poll()
  })
  ended.abort()
  clearInterval(keepAlive)
  polling.stop()
  stop()
  stopMembers()
  o.closing.removeEventListener('abort', end)
}

/** Reads immediately after a hint, and again a second later: an older open transaction can hold events back. */
function pollTwice(poll: () => void): { hint(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  return {
    hint() {
      poll()
      clearTimeout(timer)
      timer = setTimeout(poll, 1000)
    },
    stop: () => clearTimeout(timer),
  }
}
