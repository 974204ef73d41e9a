/**
 * The program of the process that parses packs and feeds. It has no database: records go to the parent in messages,
 * templates and fingerprints into the scratch folder.
 */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { serialize } from 'node:v8'
import {
  type Format,
  type Item,
  type PackedFile,
  readFeed,
  readNvd,
  recognizeFormat,
  unpack,
} from '@glacis/intelligence'
import { serveTasks, type Task } from '@glacis/scanner/serve-tasks'
import { itemsOf, readHead, validateFeeds, versionOf } from '#packs/feed-files.ts'
import type { FileSink } from '#packs/file-sink.ts'
import type { PackSet, ReaderMessage, ReadRequest, SetKind } from '#packs/read-in-process.ts'

/** Messages that are read ahead while earlier ones are written. */
const unwrittenMax = 4
/** Items per message. The parent collects them into transactions. */
const messageItems = 50
/** Size of a message, so that neither this process nor the parent runs out of memory. Real records have a tenth of it. */
const messageBytesMax = 8 * 1024 * 1024

type Send = (message: ReaderMessage) => Promise<void>

serveTasks(async (message, task) => {
  const request = message as ReadRequest // passed by read-in-process.ts
  const send = sendInStep(task)
  if (request.kind === 'feeds') return readFeeds(request, task, send)
  if (request.kind === 'records') return readRecords(request, send)
  // Only here, because loading the scanner takes longer than reading the records of most feeds.
  const { loadPacks } = await task.load(() => import('@glacis/scanner'))
  const { checks, counts, problems } = await loadPacks(request.folders)
  return { checks, counts, problems }
})

/** Waits while the parent has messages that it hasn't written yet. */
function sendInStep(task: Task): Send {
  let unwritten = 0
  let resume: () => void = () => undefined
  task.onMessage(() => {
    unwritten -= 1
    resume()
  })
  return async (message) => {
    while (unwritten >= unwrittenMax) await new Promise<void>((resolve) => (resume = resolve))
    unwritten += 1
    await task.send(message)
  }
}

async function readFeeds(
  request: Extract<ReadRequest, { kind: 'feeds' }>,
  task: Task,
  send: Send,
): Promise<readonly PackSet[]> {
  await validateFeeds(request.path)
  const sinks = new Map<SetKind, FileSink>()
  for await (const file of unpack(request.path)) {
    const { head, chunks } = await readHead(file)
    const format = recognizeFormat(file.name, head)
    if (format === null) await discard(chunks)
    else if (format === 'template' || format === 'fingerprints') {
      const { createFileSink } = await task.load(() => import('#packs/file-sink.ts')) // loads the scanner
      const sink = sinks.get(format) ?? (await createFileSink(request.scratch, format))
      sinks.set(format, sink)
      await sink.add({ ...file, bytes: Readable.from(chunks) })
    } else await sendRecords(format, file, { head, chunks, source: request.source }, send)
  }
  const sets: PackSet[] = []
  for (const sink of sinks.values()) sets.push(await sink.finish(request.cache))
  return sets
}

async function discard(chunks: AsyncIterable<string>): Promise<void> {
  for await (const _ of chunks);
}

async function sendRecords(
  format: Format,
  file: PackedFile,
  { head, chunks, source }: { head: string; chunks: AsyncIterable<string>; source: ReadRequest['source'] },
  send: Send,
): Promise<void> {
  await send({ kind: 'file', format, version: versionOf(format, head) })
  await sendItems(format, itemsOf(format, file.name, chunks, source), send)
}

async function readRecords({ files, format }: Extract<ReadRequest, { kind: 'records' }>, send: Send): Promise<void> {
  for (const file of files) {
    const chunks = createReadStream(file, 'utf8')
    await sendItems(format, format === 'nvd' ? ownThreats(chunks) : readFeed(format, chunks), send)
  }
}

/** Unlike in a feed, a record that can't be read doesn't reject the file. */
async function* ownThreats(chunks: AsyncIterable<string>): AsyncGenerator<Item> {
  for await (const item of readNvd(chunks)) yield item.kind === 'threat' ? { ...item, source: 'own' } : item
}

async function sendItems(format: Format, items: AsyncIterable<Item>, send: Send): Promise<void> {
  let batch: Item[] = []
  for await (const item of items) {
    if (batch.push(item) < messageItems) continue
    await sendBatch(format, batch, send)
    batch = []
  }
  if (batch.length > 0) await sendBatch(format, batch, send)
}

/** Splits a batch that is too large, down to single items, which are skipped. */
async function sendBatch(format: Format, batch: readonly Item[], send: Send): Promise<void> {
  const items = serialize(batch)
  if (items.length <= messageBytesMax) return send({ kind: 'items', format, items })
  if (batch.length === 1)
    return sendBatch(format, [{ kind: 'skipped', id: '', problem: 'The record is too large.' }], send)
  const middle = Math.ceil(batch.length / 2)
  await sendBatch(format, batch.slice(0, middle), send)
  await sendBatch(format, batch.slice(middle), send)
}
