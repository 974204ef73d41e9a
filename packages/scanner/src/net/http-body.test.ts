import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { readBody } from '#net/http-body.ts'

const bodyBytesMax = 1024 * 1024

/** Heap and buffer bytes in use after garbage collection. */
function bytesHeld(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

it('stores a body of tiny chunks without overhead', () => {
  const crumbs = Math.floor(bodyBytesMax / 5)
  const before = bytesHeld()
  const ends: Buffer[] = []
  const reader = readBody(
    '',
    bodyBytesMax,
    (body) => ends.push(body),
    () => undefined,
  )
  // Each chunk is a view of a larger buffer, like data read from a socket.
  for (let at = 0; at < crumbs; at++) reader.write(Buffer.from('5\r\nhello\r\n').subarray(3, 8))
  expect(bytesHeld() - before).toBeLessThan(4 * bodyBytesMax)
  reader.end()
  expect(ends.map((body) => body.equals(Buffer.from('hello'.repeat(crumbs))))).toEqual([true])
})

it('truncates a body at its limit regardless of chunk size', () => {
  for (const bytes of [1, 7, 100, 4096]) {
    const outcomes: unknown[] = []
    const reader = readBody(
      '',
      100,
      (body, truncated) => outcomes.push([body.toString('latin1'), truncated]),
      () => undefined,
    )
    for (let sent = 0; sent <= 100; sent += bytes) reader.write(Buffer.alloc(bytes, 'b'))
    reader.end()
    expect(outcomes, `pieces of ${bytes}`).toEqual([['b'.repeat(100), true]])
  }
})

it('SEC-D1 releases all but the start of a decompression bomb', async () => {
  const body = await new Promise<Buffer>((settle) => {
    const reader = readBody('gzip', bodyBytesMax, settle, () => undefined)
    reader.write(gzipSync(Buffer.alloc(32 * bodyBytesMax)).subarray(0, 4096))
  })
  expect(body.length).toBe(64 * 1024)
  expect(body.buffer.byteLength).toBeLessThanOrEqual(2 * body.length)
})
