/** Streams an account's events as server-sent events. */
import { once } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Database, inAccount } from '#database/index.ts'
import { invalid, ApiError } from '#errors.ts'
import type { Guard } from '#http/guard.ts'
import type { Live } from '#live.ts'
import { type StreamPosition, noticesSince, startOfStream } from '#notifications/index.ts'

/** Maximum concurrent streams per account. */
const streamsMax = 50
/** Maximum rows per read; the next read follows immediately. */
const readMax = 200
/** Interval of keep-alive comments, which stop proxies from closing the stream, and of session checks. */
const beatMs = 20_000

interface Dependencies {
  readonly database: Database
  readonly guard: Guard
  readonly live: Live
}
type Admitted = Awaited<ReturnType<Guard['admit']>>

/**
 * Serves `GET /v1/events`. Each message has its kind (`EVENT_…`) as event name, the event as JSON, and an id. Browsers
 * send the last id as `Last-Event-ID` when they reconnect, and get all later events of the last 30 days.
 */
export function serveLive(app: FastifyInstance, { database, guard, live }: Dependencies): void {
  const open = new Map<string, number>()
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  // No HEAD route: the response never ends.
  app.get('/v1/events', { exposeHeadRoute: false }, async (request, reply) => {
    const as = await guard.admit(request)
    const count = open.get(as.account) ?? 0
    if (count >= streamsMax)
      throw new ApiError('quota_exceeded', `At most ${streamsMax} event streams can be open per account`)
    // Count before the first await, so that concurrent requests can't exceed the limit.
    open.set(as.account, count + 1)
    const leave = () => open.set(as.account, (open.get(as.account) ?? 1) - 1)
    try {
      const from = await start(database, as, request)
      void stream(request, reply, { database, guard, live, as, from, closing: closing.signal }).finally(leave)
    } catch (error) {
      leave()
      throw error
    }
    return reply
  })
}

async function start(database: Database, as: Admitted, request: FastifyRequest): Promise<StreamPosition> {
  const last = request.headers['last-event-id']
  const now = await inAccount(database, as, startOfStream)
  if (last === undefined || last === '') return now
  const [, xid, id] = /^(\d{1,19})\.(\d{1,18})$/.exec(String(last)) ?? []
  if (!xid || !id) throw invalid('Last-Event-ID', 'Not an event id from this server')
  // A position in the future is from the database that this one was restored from. Start from now instead of waiting.
  return BigInt(xid) > BigInt(now.xid) ? now : { xid, id: Number(id) }
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
  let place = o.from
  let work: Promise<void> = Promise.resolve()
  let isWaiting = false
  const over = new AbortController()
  const send = async () => {
    isWaiting = false
    while (!over.signal.aborted) {
      // Wait for a slow client instead of buffering events.
      if (raw.writableNeedDrain) await once(raw, 'drain', { signal: over.signal })
      const found = await inAccount(o.database, o.as, (ctx) => noticesSince(ctx, place, readMax))
      for (const { place: at, ...notice } of over.signal.aborted ? [] : found) {
        raw.write(`id: ${at.xid}.${at.id}\nevent: ${notice.kind}\ndata: ${JSON.stringify(notice)}\n\n`)
        place = at
      }
      if (found.length < readMax) return
    }
  }
  const end = () => {
    if (over.signal.aborted) return
    over.abort()
    // `end` would wait for a client that has stopped reading.
    if (raw.writableNeedDrain) raw.destroy()
    else raw.end()
  }
  const fail = (error: unknown) => {
    if (over.signal.aborted) return
    request.log.warn({ err: error }, 'event stream failed')
    end()
  }
  const look = () => {
    if (isWaiting) return
    isWaiting = true
    work = work.then(send).catch(fail)
  }
  const alive = () => {
    if (!over.signal.aborted && !raw.writableNeedDrain) raw.write(': alive\n\n')
  }
  const beat = setInterval(() => {
    o.guard.admit(request).then(alive, end)
    // Pick up events that an older transaction held back when their hint came.
    look()
  }, beatMs)
  const soon = soonAgain(look)
  const stop = o.live.onHint(o.as.account, soon.hint)
  o.closing.addEventListener('abort', end)
  await new Promise((resolve) => {
    raw.once('close', resolve)
    look()
  })
  over.abort()
  clearInterval(beat)
  soon.stop()
  stop()
  o.closing.removeEventListener('abort', end)
}

/** Reads immediately after a hint, and again a second later: an older open transaction can hold events back. */
function soonAgain(look: () => void): { hint(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  return {
    hint() {
      look()
      clearTimeout(timer)
      timer = setTimeout(look, 1000)
    },
    stop: () => clearTimeout(timer),
  }
}
