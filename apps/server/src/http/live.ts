/** The stream of what happens in an account, as server-sent events. */
import { once } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Database, inAccount } from '#database/index.ts'
import { invalid, Refusal } from '#errors.ts'
import type { Guard } from '#http/guard.ts'
import type { Live } from '#live.ts'
import { type Moment, noticesSince, startOfStream } from '#notifications/index.ts'

/** Streams of one account at a time. */
const streamsMax = 50
/** Rows of one read; the next read follows at once. */
const readMax = 200
/** A sign of life keeps proxies from hanging up; with it the session is asked for again. */
const beatMs = 20_000

interface Dependencies {
  readonly database: Database
  readonly guard: Guard
  readonly live: Live
}
type Admitted = Awaited<ReturnType<Guard['admit']>>

/**
 * Serves `GET /v1/events`. Each message names its kind (`EVENT_…`), carries the event as JSON and an
 * id to resume from: a browser sends the last one as `Last-Event-ID` and misses nothing of 30 days.
 */
export function serveLive(app: FastifyInstance, { database, guard, live }: Dependencies): void {
  const open = new Map<string, number>()
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  // It never ends, and whoever asks for its headers alone would wait for that.
  app.get('/v1/events', { exposeHeadRoute: false }, async (request, reply) => {
    const as = await guard.admit(request)
    const count = open.get(as.account) ?? 0
    if (count >= streamsMax)
      throw new Refusal('quota_exceeded', `At most ${streamsMax} streams of one account are open at a time`)
    // Taken before anything is waited for, or many that come at one moment would all find it free.
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

async function start(database: Database, as: Admitted, request: FastifyRequest): Promise<Moment> {
  const last = request.headers['last-event-id']
  const now = await inAccount(database, as, startOfStream)
  if (last === undefined || last === '') return now
  const [, xid, id] = /^(\d{1,19})\.(\d{1,18})$/.exec(String(last)) ?? []
  if (!xid || !id) throw invalid('Last-Event-ID', 'This is not an id that this server gave out')
  // A place that is still to come was given out by the database that this one was restored from; waited for, it would
  // be reached in weeks.
  return BigInt(xid) > BigInt(now.xid) ? now : { xid, id: Number(id) }
}

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  o: Dependencies & { as: Admitted; from: Moment; closing: AbortSignal },
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
      // Whoever has stopped to read is told later, and not remembered everything for.
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
    // What nobody reads would keep the connection open.
    if (raw.writableNeedDrain) raw.destroy()
    else raw.end()
  }
  const fail = (error: unknown) => {
    if (over.signal.aborted) return
    request.log.warn({ err: error }, 'a stream of events broke')
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
    // What a hint did not bring, because the transaction before it was still running, comes now.
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

/** Looks at a hint at once, and once more a second later: an older transaction may have held the row back. */
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
